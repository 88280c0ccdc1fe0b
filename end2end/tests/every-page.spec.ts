// What every page of the dashboard keeps to, in each of its states: its language switch, its words, its menus, and its place on a
// Home Screen.

import { type Page, devices } from '@playwright/test';

import { ApiApp, registerAccount } from '../support/api-app.ts';
import { openLoggedIn } from '../support/console-guard.ts';
import { expect, test } from '../support/dashboard-test.ts';
import { visitAllPages } from '../support/visit-all-pages.ts';

/** All pages in all states take longer than one. */
const timeout = 600_000;

/** Words that gave way to one word for one thing, and plain English. */
const formerWords = {
  ja: ['購読する', '送信数', '期限切れ', '以前のもの', '大きさ', '操作した人', '送信者', 'この版', '送信の記録'],
  en: ['How it goes', 'From the beginning', 'Looking…', 'Worth nothing after', 'What became of it', 'a second', 'Made by'],
};

/** Recipients are people; what is counted as 件 is sends and rows. */
const countedAsRows = /\d 件(以上)?(が再送|の配信|を受け付け)/;

/** The words that stand in their place, by the state that shows them. */
const words: Record<string, { ja: string[]; en: string[] }> = {
  overview: { ja: ['受付済み', '今月の宛先数'], en: ['Sent', 'Recipients this month'] },
  embed: { ja: ['バージョン'], en: ['version'] },
  compose: { ja: ['サイズ'], en: ['Size'] },
  send: { ja: ['受付済み', '購読切れ', '操作元', '配信のようす'], en: ['Delivery', 'Sent by'] },
  history: { ja: ['送信履歴', '宛先数', '受付済み', '操作元'], en: ['History', 'Recipients', 'Sent by'] },
  subscribers: { ja: ['前のページ'], en: ['Older'] },
  'dead-letters': { ja: ['購読切れ', '再送'], en: ['Undelivered'] },
  'key-history': { ja: ['操作元'], en: ['By'] },
  webhook: { ja: ['呼び出しの記録'], en: ['Attempts'] },
  pricing: { ja: ['宛先数（月あたり）', '1 通のサイズ'], en: ['Recipients per month', 'Size of a notification'] },
};

/** What the page says outside of texts that people wrote. */
function said(page: Page): Promise<string> {
  return page.locator('main').innerText();
}

for (const [lang, locale] of [
  ['ja', 'ja-JP'],
  ['en', 'en-GB'],
] as const) {
  test(`every page says one word for one thing, in ${locale}`, async ({ browser, ownHato: hato, states }) => {
    test.setTimeout(timeout);
    const seen = new Set<string>();
    await visitAllPages(browser, hato.url, states, { locale }, async (page, name) => {
      const text = await said(page);
      // The guides are in English, and about words of their own.
      if (!name.startsWith('guide')) {
        for (const former of formerWords[lang]) expect(text, `${name}: ${former}`).not.toContain(former);
        expect(text, name).not.toMatch(countedAsRows);
      }
      for (const word of words[name]?.[lang] ?? []) expect(text, name).toContain(word);
      seen.add(name);
    });
    expect(Object.keys(words).filter((name) => !seen.has(name))).toEqual([]);
  });
}

test('every page is had in the other language, and can be added to a Home Screen', async ({ browser, ownHato: hato, states }) => {
  test.setTimeout(timeout);
  await visitAllPages(browser, hato.url, states, { locale: 'ja-JP' }, async (page, name) => {
    await expect(page.locator('link[rel=manifest]'), name).toHaveAttribute('href', '/manifest.webmanifest');
    // What lies over the page is put away first.
    await page.keyboard.press('Escape');
    const html = page.locator('html');
    const { pathname } = new URL(page.url());
    const other = (await html.getAttribute('lang')) === 'ja' ? 'en' : 'ja';
    const choices = page.locator('.site-footer .switch [lang]');
    await expect(choices, name).toHaveCount(2);
    await choices.and(page.locator(`[lang=${other}]`)).click();
    await expect(html, name).toHaveAttribute('lang', other);
    expect(new URL(page.url()).pathname, name).toBe(pathname);
  });
});

/** Where the rows of the page stand, and those of the navigation beside it, which stays in sight. Found and measured in one step: what is live is
 * replaced meanwhile. */
function rows(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('main :is(h1, tr, li)')]
      .filter((it) => !it.closest('details:is(.confirm, .menu)'))
      .map((it) => {
        const within = it.closest('.app-nav') ?? document.documentElement;
        return `${it.tagName} ${Math.round(it.getBoundingClientRect().top - within.getBoundingClientRect().top)}`;
      }),
  );
}

for (const width of [390, 1280]) {
  test(`every menu and question closes with Escape and a click beside it, and moves no row at ${width}`, async ({
    browser,
    ownHato: hato,
    states,
  }) => {
    test.setTimeout(timeout);
    const options = { locale: 'ja-JP', viewport: { width, height: 900 } };
    const seen: string[] = [];
    await visitAllPages(browser, hato.url, states, options, async (page, name) => {
      await page.keyboard.press('Escape');
      for (const kind of ['confirm', 'menu']) {
        const menu = page.locator(`details.${kind}:visible`).first();
        if ((await menu.count()) === 0) continue;
        seen.push(kind);
        const label = `${name}: ${kind}`;
        const body = menu.locator('> :not(summary)');
        await expect(body, label).toBeHidden();
        const before = await rows(page);
        await menu.locator('summary').click();
        await expect(body, label).toBeVisible();
        expect(await rows(page), label).toEqual(before);
        await page.keyboard.press('Escape');
        await expect(body, label).toBeHidden();
        await menu.locator('summary').click();
        await expect(body, label).toBeVisible();
        await page.mouse.click(1, 899);
        await expect(body, label).toBeHidden();
      }
    });
    expect(seen.filter((kind) => kind === 'confirm').length).toBeGreaterThan(8);
    expect(seen.filter((kind) => kind === 'menu').length).toBeGreaterThan(20);
  });
}

/** The width and height of a picture, as the browser decodes it. */
function pictureSize(page: Page, src: string): Promise<{ width: number; height: number }> {
  return page.evaluate(async (src) => {
    const image = new Image();
    image.src = src;
    await image.decode();
    return { width: image.naturalWidth, height: image.naturalHeight };
  }, src);
}

interface Manifest {
  name: string;
  display: string;
  scope: string;
  start_url: string;
  icons: { src: string; sizes: string; type: string }[];
}

test('who is told on an iPhone to add the dashboard to the Home Screen can do so', async ({ browser, ownHato: hato }) => {
  const session = await registerAccount(hato, { email: 'owner@example.com', password: 'correct horse' });
  const app = await ApiApp.create(hato, session, 'はとパン');
  const { defaultBrowserType: _, ...phone } = devices['iPhone 15'];
  const { page, consoleErrors } = await openLoggedIn(browser, hato.url, session, { ...phone, locale: 'en-GB' });
  // Before it is on the Home Screen, Safari has no push.
  await page.addInitScript(() => {
    for (const missing of ['PushManager', 'Notification']) delete (globalThis as any)[missing];
  });
  await page.goto(app.path);
  await expect(page.locator('.push-state')).toContainText('Add to Home Screen');

  const linked = await page.locator('link[rel=manifest]').evaluate((it: HTMLLinkElement) => it.href);
  const answer = await page.request.get(linked);
  expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'application/manifest+json']);
  const manifest = (await answer.json()) as Manifest;
  expect(manifest.name).toBe('Hato');
  // Safari gives push to what is shown as an app of its own.
  expect(['standalone', 'fullscreen']).toContain(manifest.display);
  for (const path of [manifest.start_url, app.path]) expect(path.startsWith(manifest.scope)).toBe(true);
  expect((await page.request.get(hato.url + manifest.start_url)).status()).toBe(200);

  expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(expect.arrayContaining(['192x192', '512x512']));
  for (const { src, sizes, type } of manifest.icons) {
    expect((await page.request.get(hato.url + src)).headers()['content-type'], src).toBe(type);
    const { width, height } = await pictureSize(page, src);
    if (sizes !== 'any') expect(`${width}x${height}`, src).toBe(sizes);
  }
  const touchIcon = await page.locator('link[rel=apple-touch-icon]').getAttribute('href');
  expect(await pictureSize(page, touchIcon!)).toEqual({ width: 180, height: 180 });
  // The browser itself finds no fault with the manifest.
  const devtools = await page.context().newCDPSession(page);
  const { errors } = await devtools.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});
