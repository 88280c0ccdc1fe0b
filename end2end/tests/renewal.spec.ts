// What the worker does when the push service drops the browser, in a real Firefox.

import { importLine, init, siteFiles } from '../support/site-files.ts';
import { expect, test } from '../support/fixtures.ts';

const registration = 'POST /api/v1/subscriptions';
const notification = (title: string) => ({ title, body: '本文' });

test('the worker subscribes again when the push service drops the browser', async ({ app, open, push, visit }) => {
  const page = await visit(await open());
  await page.subscribe();
  const before = await page.endpoint();
  await push.renewBrowsers();
  // The server was told which endpoint the new one replaces.
  await expect.poll(() => app.deactivated()).toBe(1);
  expect(await page.endpoint()).not.toBe(before);
  expect(await app.send(notification('新しい宛先'))).toMatchObject({ recipients: 1, sent_count: 1 });
  await page.notification('新しい宛先');
  expect(page.requests).toHaveLength(2);
});

test('a worker that does not reach the server tries again', async ({ app, hato, open, push, visit }) => {
  const page = await visit(await open());
  await page.subscribe();
  await hato.pause();
  const before = await push.registrations();
  await push.renewBrowsers();
  await expect.poll(() => push.registrations()).toBe(before + 1);
  await hato.resume();
  await expect.poll(() => app.deactivated()).toBe(1);
  expect(await app.send(notification('届きました'))).toMatchObject({ recipients: 1, sent_count: 1 });
  await page.notification('届きました');
  expect(page.requests).toHaveLength(2);
});

/** A worker that says when it has dealt with the event, and waits a fifth as long for everything. */
const reportingWorker = `
  addEventListener("pushsubscriptionchange", (event) => {
    const wait = event.waitUntil.bind(event);
    const say = () => registration.showNotification("終わりました");
    event.waitUntil = (work) => wait(work.then(say, say));
  });
  const later = setTimeout;
  self.setTimeout = (act, milliseconds, ...rest) => later(act, milliseconds / 5, ...rest);\n`;

for (const [status, code, times] of [
  [400, 'INVALID_ENDPOINT', 1],
  [401, 'INVALID_API_KEY', 1],
  [429, 'RATE_LIMITED', 4],
  [503, 'CONFIG_ERROR', 4],
] as const) {
  test(`a worker that is answered ${status} asks ${times} times`, async ({ open, push, faultProxy, visit, write }) => {
    const folder = await write({ ...siteFiles(init()), 'hato-sw.js': reportingWorker + importLine });
    const page = await visit(await open({ folder, server: faultProxy }));
    await page.subscribe();
    faultProxy.requests.length = 0;
    faultProxy.fail(registration, { status, body: JSON.stringify({ error: 'だめ', code }) });
    await push.renewBrowsers();
    await page.notification('終わりました');
    expect(faultProxy.requests).toEqual(Array(times).fill(registration));
  });
}

test('whoever unsubscribes while the worker renews stays unsubscribed', async ({ app, open, push, faultProxy, visit }) => {
  const page = await visit(await open({ server: faultProxy }));
  await page.subscribe();
  const held = faultProxy.hold(registration);
  await push.renewBrowsers();
  await held.arrived;
  const leaving = page.attempt('unsubscribe');
  await page.waitUntilBlockedOrUnsubscribed();
  held.release();
  expect(await leaving).toBe('');
  await page.waitForState('unsubscribed');
  expect(await page.endpoints()).toEqual([]);
  expect(await app.subscribers()).toBe(0);
  expect(await app.deactivated()).toBe(2);
});

test('a worker whose visitor has unsubscribed lets the browser go', async ({ app, open, push, visit, write }) => {
  const folder = await write({ ...siteFiles(init()), 'hato-sw.js': reportingWorker + importLine });
  const page = await visit(await open({ folder }));
  await page.subscribe();
  // As when the browser could not end its part.
  await page.page.evaluate(() => {
    PushSubscription.prototype.unsubscribe = () => Promise.resolve(false);
  });
  expect(await page.attempt('unsubscribe')).toBe('');
  await page.waitForState('unsubscribed');
  await push.renewBrowsers();
  await page.notification('終わりました');
  expect(await page.endpoints()).toEqual([]);
  expect(await app.subscribers()).toBe(0);
});

test('the server is told of every endpoint that it was given', async ({ app, open, push, faultProxy, visit }) => {
  const page = await visit(await open({ server: faultProxy }));
  await page.subscribe();
  const before = await page.endpoint();
  faultProxy.fail(registration, { status: 400, body: '{}' });
  await push.renewBrowsers();
  await expect.poll(() => page.endpoints()).not.toEqual([before]);
  await expect.poll(() => page.endpoints()).toHaveLength(1);
  expect(await page.attempt('unsubscribe')).toBe('');
  expect(await app.subscribers()).toBe(0);
  expect(await page.endpoints()).toEqual([]);
});
