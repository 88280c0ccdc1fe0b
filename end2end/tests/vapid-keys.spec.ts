// How visitors come to the app's primary VAPID key when it is not the one they subscribed with (CONTRACT 16), in a real Firefox.

import { expect, test } from '../support/fixtures.ts';

const registration = 'POST /api/v1/subscriptions';
const notification = (title: string) => ({ title, body: '本文' });

test('a visitor moves to the primary key without being asked, and stays who they are', async ({ app, open, visit }) => {
  const site = await open();
  const page = await visit(site);
  await page.subscribe();
  const before = await page.endpoint();
  await app.change(before, { user_id: 'user-1', add_tags: ['news'] });
  await app.replacePrimaryKey();
  expect(await app.send(notification('古い鍵で'))).toMatchObject({ sent_count: 1, failed_count: 0 });
  await page.notification('古い鍵で');

  const later = await visit(site, 2);
  await later.waitForState('subscribed');
  expect(later.requests).toEqual([registration, registration]);
  const after = await later.endpoint();
  expect(after).not.toBe(before);
  expect(await app.visitor(after)).toMatchObject({ user_id: 'user-1', tags: ['news'] });
  expect(await app.send(notification('新しい鍵で'))).toMatchObject({ recipients: 1, sent_count: 1 });
  await later.notification('新しい鍵で');
  const again = await visit(site, 4);
  await again.waitForState('subscribed');
  expect(again.requests).toEqual([registration]);
});

test('a visitor whose key is gone comes back with the primary one', async ({ app, open, push, visit }) => {
  const site = await open();
  const page = await visit(site);
  await page.subscribe();
  await push.forget(await page.endpoint());
  expect((await app.send(notification('届かない'))).failed_expired).toBe(1);
  await app.deleteVapidKey(await app.replacePrimaryKey());

  const later = await visit(site, 2);
  await later.waitForState('subscribed');
  expect(later.requests).toEqual([registration, 'GET /api/v1/vapid-public-key', registration]);
  expect(await app.send(notification('おかえりなさい'))).toMatchObject({ recipients: 1, sent_count: 1 });
  await later.notification('おかえりなさい');
});

test('who subscribes with a key that is gone by then keeps what was known of them', async ({ app, open, visit }) => {
  const page = await visit(await open());
  await page.waitForState('unsubscribed');
  expect(await page.say('identify', 'user-1', await app.userToken('user-1'))).toBe('');
  expect(await page.say('addTags', ['news'])).toEqual(['news']);
  await app.deleteVapidKey(await app.replacePrimaryKey());
  await page.subscribe();
  const key = 'GET /api/v1/vapid-public-key';
  expect(page.requests).toEqual([key, registration, key, registration]);
  expect(await app.visitor(await page.endpoint())).toMatchObject({ user_id: 'user-1', tags: ['news'] });
});
