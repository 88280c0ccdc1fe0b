// A list of subscribers that is uploaded: how far it is and what became of it are said in the open page, in which the file stays chosen.

import { readFile } from 'node:fs/promises';

import type { Page } from '@playwright/test';

import { ApiApp } from '../support/api-app.ts';
import { openLoggedIn } from '../support/console-guard.ts';
import { expect, test } from '../support/dashboard-test.ts';

/** Keys of a browser (RFC 8291 §5). */
const keys = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};
const line = (number: number) => JSON.stringify({ endpoint: `https://push.example.com/${number}`, keys });
const refused = 1_000;

/** Two who are taken, and a megabyte that is not. */
const list = [line(1), ...Array(refused).fill('x'.repeat(1_000)), line(2)].join('\n');

const choose = (page: Page, name: string, text: string | Buffer) =>
  page.locator('#import-list').setInputFiles({ name, mimeType: 'application/x-ndjson', buffer: Buffer.from(text) });

test('a list is sent with its progress, and its outcome comes into the open page', async ({ browser, hato }) => {
  const session = await hato.ownerSession();
  const app = await ApiApp.create(hato, session, '取り込み');
  const { page, consoleErrors } = await openLoggedIn(browser, hato.url, session, { locale: 'ja-JP' });
  await page.goto(`${app.path}/subscribers/import`);
  await page.evaluate(() => ((globalThis as any).stayed = true));
  const outcome = page.locator('#import-outcome');
  const progress = page.locator('.upload-progress');
  const button = (text: string) => page.getByRole('button', { name: text });
  await expect(progress).toBeHidden();
  await choose(page, 'list.ndjson', list);

  const network = await page.context().newCDPSession(page);
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 100_000 };
  await network.send('Network.emulateNetworkConditions', slow);
  await button('調べる').click();
  await expect(progress.getByRole('status')).toHaveText(/^送信しています：[1-9]\d? %$/);
  const part = await progress.locator('progress').evaluate((bar: HTMLProgressElement) => bar.value);
  expect(part).toBeGreaterThan(0);
  expect(part).toBeLessThan(1);
  await expect(button('取り込む')).toHaveAttribute('aria-disabled', 'true');
  await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
  await expect(outcome).toContainText('何も保存していません。新しい購読：2');
  await expect(outcome).toContainText('取り込めない行：1,000');
  await expect(progress).toBeHidden();

  // The file is still chosen.
  await button('取り込む').click();
  await expect(outcome).toContainText('取り込みました。新しい購読：2');
  const [download] = await Promise.all([page.waitForEvent('download'), button('取り込めない行を CSV で保存').click()]);
  expect(download.suggestedFilename()).toBe('refused-lines.csv');
  const rows = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
  expect(rows).toHaveLength(1 + refused);
  expect(rows[refused]).toMatch(/^1001,INVALID_INPUT,/);

  await choose(page, 'list.gz', Buffer.from([0x1f, 0x8b, 8, 0]));
  await button('調べる').click();
  await expect(outcome).toContainText('1 行目：GZIP：');
  await choose(page, 'large.ndjson', 'x'.repeat(16 * 1024 * 1024 + 1));
  await button('調べる').click();
  await expect(outcome).toContainText('16 MiB を超えています');
  expect(consoleErrors).toEqual([]);

  await page.route('**/subscribers/import?step=check', (route) => route.abort());
  await choose(page, 'list.ndjson', list);
  await button('調べる').click();
  await expect(outcome).toContainText('接続が切れました');
  expect(await page.evaluate(() => (globalThis as any).stayed)).toBe(true);
});

test('who is logged out meanwhile is led to the login', async ({ browser, hato }) => {
  const session = await hato.ownerSession();
  const app = await ApiApp.create(hato, session, '取り込み');
  const { page } = await openLoggedIn(browser, hato.url, session, { locale: 'ja-JP' });
  await page.goto(`${app.path}/subscribers/import`);
  await choose(page, 'list.ndjson', line(1));
  await page.context().clearCookies();
  await page.getByRole('button', { name: '調べる' }).click();
  await page.waitForURL('**/login?**');
});

test('without scripts the page itself answers', async ({ browser, hato }) => {
  const session = await hato.ownerSession();
  const app = await ApiApp.create(hato, session, '取り込み');
  const options = { locale: 'ja-JP', javaScriptEnabled: false };
  const { page, consoleErrors } = await openLoggedIn(browser, hato.url, session, options);
  await page.goto(`${app.path}/subscribers/import`);
  await choose(page, 'list.ndjson', list);
  await page.getByRole('button', { name: '調べる' }).click();
  await expect(page.locator('#import-outcome')).toContainText('何も保存していません。新しい購読：2');
  await choose(page, 'list.ndjson', list);
  const button = page.getByRole('button', { name: '取り込めない行を CSV で保存' });
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  expect(download.suggestedFilename()).toBe('refused-lines.csv');
  expect(consoleErrors).toEqual([]);
});
