// The reference of the API below /docs/api: its three columns, and its examples in the language that one chooses.

import { type Page } from '@playwright/test';

import { openGuarded } from '../support/console-guard.ts';
import { expect, test } from '../support/dashboard-test.ts';

const sending = '/docs/api/sending';
const wide = { width: 1280, height: 800 };
const languages = ['curl', 'node', 'python'];

/** How many examples of each language are to be seen. */
async function shownExamples(page: Page): Promise<number[]> {
  const shown = languages.map((it) => page.locator(`.examples > .${it}`).filter({ visible: true }).count());
  return Promise.all(shown);
}

async function box(page: Page, selector: string): Promise<{ x: number; y: number; width: number; height: number }> {
  const found = await page.locator(selector).first().boundingBox();
  return found!;
}

test('beside the prose are the contents, which stay, and the examples', async ({ browser, ownHato: hato }) => {
  const { page, consoleErrors } = await openGuarded(browser, { baseURL: hato.url, locale: 'ja-JP', viewport: wide });
  await page.goto(sending);
  const contents = page.getByRole('navigation', { name: '目次' });
  await expect(contents.getByRole('link', { name: '最大 100 件の endpoint に送信する' })).toBeVisible();
  const columns = await Promise.all(['.reference-contents nav', '#notify .prose', '#notify .examples'].map((it) => box(page, it)));
  for (const [left, right] of [columns.slice(0, 2), columns.slice(1)]) {
    expect(left!.x + left!.width).toBeLessThanOrEqual(right!.x);
  }
  await contents.getByRole('link', { name: 'アプリの全員に送信する' }).click();
  await expect(page.locator('#broadcast h2')).toBeInViewport();
  expect(await page.evaluate('scrollY')).toBeGreaterThan(wide.height);
  await expect(contents.getByRole('link', { name: 'アプリの全員に送信する' })).toBeInViewport({ ratio: 1 });

  // Another group is unfolded there, and leads to its own page.
  await contents.getByText('API キー', { exact: true }).click();
  await contents.getByRole('link', { name: 'API キーを作成する' }).click();
  await page.waitForURL('**/docs/api/api-keys#createApiKey');
  await expect(page.locator('#createApiKey h2')).toBeInViewport();
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

test('the contents mark the endpoint that is in view', async ({ browser, ownHato: hato }) => {
  const { page, consoleErrors } = await openGuarded(browser, { baseURL: hato.url, locale: 'ja-JP', viewport: wide });
  await page.goto(sending);
  const marked = page.locator('.reference-contents [aria-current="location"]');
  for (const endpoint of ['broadcast', 'notify']) {
    await page.locator(`#${endpoint}`).evaluate((it: Element) => it.scrollIntoView());
    await expect(marked).toHaveAttribute('href', `${sending}#${endpoint}`);
    await expect(marked).toHaveCount(1);
  }
  await page.goto(`${sending}#broadcast`);
  await page.reload();
  await expect(marked).toHaveAttribute('href', `${sending}#broadcast`);
  // No other page pays for it.
  const scripts = page.locator('script[src$="-reference.js"]');
  await expect(scripts).toHaveCount(1);
  await page.goto('/docs');
  await expect(scripts).toHaveCount(0);
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

test('the chosen language holds for all examples, and they are copied', async ({ browser, ownHato: hato }) => {
  const { page, consoleErrors } = await openGuarded(browser, { baseURL: hato.url, locale: 'en-GB', viewport: wide });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(sending);
  expect(await shownExamples(page)).toEqual([3, 0, 0]);
  await page.locator('#broadcast').getByText('Node', { exact: true }).click();
  expect(await shownExamples(page)).toEqual([0, 3, 0]);
  await page.locator('#broadcast .node').getByRole('button', { name: 'Copy' }).click();
  await expect(page.locator('#broadcast .node button')).toHaveText('Copied');
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await page.locator('#broadcast-node').textContent());

  await page.goto('/docs/api/apps');
  expect(await shownExamples(page)).toEqual([0, 5, 0]);
  await page.getByRole('radio', { name: 'Node' }).focus();
  await page.keyboard.press('ArrowRight');
  expect(await shownExamples(page)).toEqual([0, 0, 5]);

  // The address on the overview has its button beside it.
  await page.goto('/docs/api');
  const [text, button] = await Promise.all(['.code.line pre', '.code.line button'].map((it) => box(page, it)));
  expect(button!.x).toBeGreaterThanOrEqual(text!.x + text!.width);
  expect(button!.y).toBe(text!.y);
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

for (const scripts of [true, false]) {
  test(`on a phone ${scripts ? 'with' : 'without'} scripts everything is there`, async ({ browser, ownHato: hato }) => {
    const options = { baseURL: hato.url, locale: 'ja-JP', viewport: { width: 360, height: 740 }, javaScriptEnabled: scripts };
    const { page, consoleErrors } = await openGuarded(browser, options);
    for (const path of ['/docs/api', sending, '/docs/api/subscriptions']) {
      await page.goto(path);
      expect(await page.locator('html').evaluate((it: any) => it.scrollWidth), path).toBe(360);
    }
    await page.goto(sending);
    const link = page.getByRole('navigation', { name: '目次' }).getByRole('link', { name: 'アプリの全員に送信する' });
    await expect(link).toBeHidden();
    await page.locator('.reference-contents > summary').click();
    await link.click();
    await expect(page.locator('#broadcast h2')).toBeInViewport();
    await page.locator('#broadcast').getByText('Python', { exact: true }).click();
    await expect(page.locator('#broadcast-python')).toBeVisible();
    expect(await shownExamples(page)).toEqual([0, 0, 3]);
    await page.locator('#broadcast .refusals summary').click();
    await expect(page.locator('#broadcast .refusals').getByText('MONTHLY_LIMIT_EXCEEDED')).toBeVisible();
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });
}

test('what led to a place on the former page leads to where it is now', async ({ browser, ownHato: hato }) => {
  const { page } = await openGuarded(browser, { baseURL: hato.url, locale: 'ja-JP' });
  for (const place of ['getIdentity', 'schema-Notify']) {
    await page.goto(`/docs/api#${place}`);
    await page.locator(`[id="${place}"]`).getByRole('link').click();
    await page.waitForURL(`**/docs/api/*#${place}`);
    await expect(page.locator(`[id="${place}"]`)).toBeInViewport();
    await page.goto('/');
  }
  await page.context().close();
});
