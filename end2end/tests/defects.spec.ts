// What visitors and owners have stumbled over, as they meet it in a browser.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Page as FirefoxPage } from 'puppeteer-core';

import { ApiApp, registerAccount } from '../support/api-app.ts';
import { openGuarded, openLoggedIn } from '../support/console-guard.ts';
import { expect, test } from '../support/dashboard-test.ts';

const owner = { email: 'owner@example.com', password: 'correct horse' };
const notification = { title: '焼きたてです', body: 'クロワッサンが焼きあがりました。' };

/** The tallest that the reference may be, in CSS pixels. */
const tallestReference = 20_000;

/** The most clicks and fields from the first page to the first notification. */
const mostClicks = 5;
const mostFields = 3;

test('the reference is a page that one can scroll, in one language', async ({ browser, hato }) => {
  for (const [locale, heading, other] of [
    ['ja-JP', /[ぁ-ん]/, /^(The|Send|Every) /],
    ['en-GB', /[a-z]/, /[ぁ-ん]/],
  ] as const) {
    const { page, consoleErrors } = await openGuarded(browser, { baseURL: hato.url, locale, viewport: { width: 1280, height: 900 } });
    await page.goto('/docs/api');
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(tallestReference);
    const headings = await page.locator('main :is(h1, h2)').allInnerTexts();
    expect(headings.some((text) => heading.test(text))).toBe(true);
    expect(headings.filter((text) => other.test(text))).toEqual([]);
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  }
});

test('a send in its retries says how many wait, and until when', async ({ browser, ownHato: hato, push }) => {
  const app = await ApiApp.create(hato, await registerAccount(hato, owner), 'はとパン');
  const browsers = await push.subscribe(3);
  await app.subscribe(browsers);
  for (const { endpoint } of browsers.slice(1)) await push.answer(endpoint, '500');
  const before = Date.now();
  const send = await app.send(notification);
  await app.waitForStatus(send, 'sending');
  const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, { locale: 'en-GB', timezoneId: 'Asia/Tokyo' });
  await page.goto(`${app.path}/sends/${send}`);
  const waiting = page.locator('.waiting');
  await expect(waiting).toHaveText(/^2 wait for another attempt, next at \d{1,2}:\d{2}/);
  const next = Date.parse((await waiting.locator('time').getAttribute('datetime'))!);
  expect(next).toBeGreaterThan(before);
  const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Asia/Tokyo' });
  await expect(waiting.locator('time')).toContainText(clock.format(next));
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

test('who runs the server is told the command, and as an operator changes a plan', async ({ browser, ownHato: hato }) => {
  const session = await registerAccount(hato, owner);
  await hato.setPlan(owner.email, 'free');
  const other = { ...owner, email: 'other@example.com' };
  await registerAccount(hato, other);
  await hato.setPlan(other.email, 'free');
  const { page, consoleErrors } = await openLoggedIn(browser, hato.url, session, { locale: 'en-GB' });
  await page.goto('/pricing');
  await page.getByText('If you run the server yourself').click();
  await expect(page.locator('.plan.pro pre')).toHaveText(`hato-server admin set-plan ${owner.email} pro`);
  const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8');
  expect(readme.slice(0, readme.indexOf('### In five minutes'))).toContain('HATO_DEFAULT_PLAN=pro make run');
  const refused = await page.goto('/operator');
  expect(refused?.status()).toBe(404);

  await hato.makeOperator(owner.email);
  await page.goto('/pricing');
  await expect(page.locator('.plan.pro pre')).toHaveCount(0);
  await page.locator('.plan.pro a[href="/operator"]').click();
  const row = page.locator('table.accounts tbody tr', { hasText: other.email });
  await expect(row.locator('td').nth(1)).toHaveText('Free');
  await row.getByRole('button', { name: 'Change to Pro' }).click();
  await expect(page.locator('.note.success')).toContainText('The plan was changed');
  await expect(row.locator('td').nth(1)).toHaveText('Pro');
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

test('where the plan has no room for another app, no form is offered', async ({ browser, ownHato: hato }) => {
  const session = await registerAccount(hato, owner);
  await ApiApp.create(hato, session, 'はとパン');
  const { page, consoleErrors } = await openLoggedIn(browser, hato.url, session, { locale: 'ja-JP' });
  const form = page.locator('form[action="/_app/create_app"]');
  await page.goto('/apps');
  await expect(form).toHaveCount(1);
  await hato.setPlan(owner.email, 'free');
  await page.reload();
  await expect(form).toHaveCount(0);
  await expect(page.locator('#create a[href$="/pricing"]')).toBeVisible();
  await expect(page.locator('#create p')).toHaveCount(1);
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

test('a send to nobody is no success', async ({ browser, hato }) => {
  const app = await ApiApp.create(hato, await hato.ownerSession(), 'はとパン');
  const send = await app.send(notification);
  const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, { locale: 'ja-JP' });
  for (const [path, place] of [
    [`/sends/${send}`, '.progress'],
    ['/history', 'table.sends'],
  ]) {
    await page.goto(app.path + path);
    await expect(page.locator(`${place} .status`)).toHaveText('宛先なし');
    await expect(page.locator(`${place} .status.done`)).toHaveCount(0);
    await expect(page.locator(place!)).not.toContainText('100');
    await expect(page.locator(`${place} :is(.bar, .delivery-bar)`)).toHaveCount(0);
  }
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

test('without scripts nothing is said to be under way, and no sample is shown', async ({ browser, hato }) => {
  const app = await ApiApp.create(hato, await hato.ownerSession(), 'はとパン');
  const { page } = await openLoggedIn(browser, hato.url, app.session, { locale: 'en-GB', javaScriptEnabled: false });
  await page.goto(app.path);
  await expect(page.locator('#this-browser noscript')).toHaveCount(1);
  await expect(page.locator('.push-state')).toBeEmpty();
  await expect(page.locator('#this-browser button:visible')).toHaveCount(0);
  await page.goto(`${app.path}/send`);
  await expect(page.locator('form.compose noscript')).toHaveCount(1);
  await expect(page.locator('.preview .notification')).toBeHidden();
  await expect(page.locator('.preview .whole-text')).toBeHidden();
  await page.context().close();
});

test('a link to the site comes with a picture, and its icon is there', async ({ browser, hato }) => {
  const { page } = await openGuarded(browser, { baseURL: hato.url, locale: 'en-GB' });
  await page.goto('/');
  const meta = (name: string) => page.locator(`meta[property="og:${name}"]`).getAttribute('content');
  expect(await meta('title')).toContain('Hato');
  expect(await meta('description')).toBeTruthy();
  expect(await meta('url')).toMatch(/\/$/);
  expect(await meta('locale')).toBe('en_GB');
  for (const path of [new URL((await meta('image'))!).pathname, '/favicon.ico']) {
    const picture = await page.request.get(hato.url + path);
    expect(picture.status(), path).toBe(200);
    expect(picture.headers()['content-type'], path).toMatch(/^image\//);
  }
  await page.context().close();
});

test('the first notification is a few clicks away', async ({ firefox, hato }) => {
  const context = await firefox.createBrowserContext();
  const page: FirefoxPage = await context.newPage();
  let [clicks, fields] = [0, 0];
  const click = async (selector: string) => {
    clicks += 1;
    await page.locator(selector).click();
  };
  const follow = (selector: string) => Promise.all([page.waitForNavigation(), click(selector)]);
  const fill = async (selector: string, text: string) => {
    fields += 1;
    await page.locator(selector).fill(text);
  };
  await page.goto(hato.url);
  await follow('.hero a[href="/register"]');
  await fill('#register-email', 'walker@example.com');
  await fill('#register-password', 'correct horse');
  await follow('#register [type=submit]');
  await fill('#create-name', 'はとパン');
  await follow('#create [type=submit]');
  // Receiving, and then a test: each button is there once the one before has worked.
  for (const done of ['まだ通知を受け取っていません', 'で通知を受け取っています']) {
    const isDone = (text: string) => document.querySelector('.push-state')?.textContent?.includes(text);
    await page.waitForFunction(isDone, { polling: 20 }, done);
    await click('.try .actions:not([hidden]) button:first-of-type');
  }
  const find = async () => {
    const registrations = await navigator.serviceWorker.getRegistrations();
    const found = await Promise.all(registrations.map((it) => it.getNotifications()));
    return found.flat().length > 0;
  };
  await page.waitForFunction(find, { polling: 20 });
  expect(clicks).toBeLessThanOrEqual(mostClicks);
  expect(fields).toBeLessThanOrEqual(mostFields);
  await context.close();
});
