// A send under way, as its page shows it: live, cancelled, and when the server does not let it listen.

import { Hato } from '../support/hato.ts';
import { expect, test } from '../support/dashboard-test.ts';
import type { PushService } from '../support/push-service.ts';
import { ApiApp, registerAccount } from '../support/api-app.ts';
import { variants } from '../support/variants.ts';
import { openLoggedIn } from '../support/console-guard.ts';

const credentials = { email: 'owner@example.com', password: 'correct horse' };
const notification = { title: '焼きたてです', body: 'クロワッサンが焼きあがりました。' };
/** Recipients are counted by the page: the second one has one recipient. */
const audience = 501;
/** Streams of an account at a time. */
const maxStreams = 8;

/** An app with three subscribers, and a send of it that two have got and the third will get in an hour. */
async function sendInProgress(hato: Hato, push: PushService): Promise<{ app: ApiApp; path: string }> {
  const app = await ApiApp.create(hato, await registerAccount(hato, credentials), 'はとパン');
  const browsers = await push.subscribe(3);
  await app.subscribe(browsers);
  await push.answer(browsers[2]!.endpoint, '500');
  const send = await app.send(notification);
  await app.waitForStatus(send, 'sending');
  return { app, path: `${app.path}/sends/${send}` };
}

for (const { name, locale, tag } of variants.filter(({ scripts }) => scripts)) {
  test(`a page follows its send to the end ${name}`, { tag }, async ({ browser, push, database }) => {
    const hato = await Hato.start(push, { HATO_RETRY_DELAYS: '1s,1s,1s' }, database);
    const app = await ApiApp.create(hato, await registerAccount(hato, credentials), 'はとパン');
    const browsers = await push.subscribe(audience);
    await app.subscribe(browsers);
    const [early, late] = [browsers[0]!.endpoint, browsers[audience - 1]!.endpoint];
    await push.hold(early);
    await push.hold(late);
    const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, { locale });
    await page.goto(`${app.path}/sends/${await app.send(notification)}`);
    const loads: string[] = [];
    page.on('framenavigated', (frame) => loads.push(frame.url()));
    await expect(page.locator('.percent b')).toHaveText('0%');

    await push.release(early);
    await expect(page.locator('.percent b')).toHaveText('99%');
    await expect(page.locator('.counts .sent dd')).toHaveText('500');
    await expect(page.locator('.progress .status')).toHaveClass(/sending/);
    await expect(page.locator('[data-running]')).toBeVisible();

    await push.release(late);
    await expect(page.locator('.percent b')).toHaveText('100%');
    await expect(page.locator('.counts .sent dd')).toHaveText('501');
    await expect(page.locator('.progress .status')).toHaveClass(/done/);
    expect(loads).toEqual([]);
    expect(consoleErrors).toEqual([]);
    await page.context().close();
    await hato.stop();
  });
}

for (const { name, locale, scripts, tag } of variants) {
  test(`a send under way is cancelled ${name}`, { tag }, async ({ browser, ownHato: hato, push }) => {
    const { app, path } = await sendInProgress(hato, push);
    const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, { locale, javaScriptEnabled: scripts });
    await page.goto(path);
    await expect(page.locator('.progress .status')).toHaveClass(/sending/);
    await expect(page.locator('.counts .sent dd')).toHaveText('2');
    await expect(page.locator('.waiting')).toContainText('1 ');
    await page.locator('details.confirm > summary').click();
    await page.locator('form[action="/_app/cancel_send"] button').click();
    await page.waitForURL('**?cancelled=1');
    await expect(page.locator('.note.success')).toContainText('1');
    await expect(page.locator('.progress .status')).toHaveClass(/cancelled/);
    await expect(page.locator('.counts .sent dd')).toHaveText('2');
    await expect(page.locator('.counts .cancelled dd')).toHaveText('1');
    await expect(page.locator('form[action="/_app/cancel_send"]')).toHaveCount(0);
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });
}

test('a page that may not listen shows what it knew, and its forms work', async ({ browser, ownHato: hato, push }) => {
  const { app, path } = await sendInProgress(hato, push);
  const leaving = new AbortController();
  const headers = { cookie: `hato_session=${app.session}` };
  for (let taken = 0; taken < maxStreams; taken += 1) {
    const stream = await fetch(`${hato.url}${path}/events`, { headers, signal: leaving.signal });
    expect(stream.status).toBe(200);
  }
  const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, { locale: 'ja-JP' });
  const refused = page.waitForResponse((response) => response.url().endsWith('/events'));
  await page.goto(path);
  expect((await refused).status()).toBe(429);
  await expect(page.locator('.counts .sent dd')).toHaveText('2');
  await page.locator('details.confirm > summary').click();
  await page.locator('form[action="/_app/cancel_send"] button').click();
  await expect(page.locator('.progress .status')).toHaveClass(/cancelled/);
  await expect(page.locator('.counts .cancelled dd')).toHaveText('1');
  // The browser reports the status of the stream by itself.
  expect(consoleErrors.every((line) => line.includes('429'))).toBe(true);
  leaving.abort();
  await page.context().close();
});
