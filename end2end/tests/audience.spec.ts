// Who the visitor is and which tags they have (CONTRACT 12), in a real Firefox; what needs no subscription, in Chromium.

import { App } from '../support/app.ts';
import { CustomerSite } from '../support/customer-site.ts';
import { Hato } from '../support/hato.ts';
import { init, siteFiles } from '../support/site-files.ts';
import { expect, test } from '../support/fixtures.ts';
import { Visit } from '../support/visit.ts';

const registration = 'POST /api/v1/subscriptions';
const change = 'PATCH /api/v1/subscriptions';
const publicKey = 'GET /api/v1/vapid-public-key';
const notification = (title: string) => ({ title, body: '本文' });

/** The user and the tags that the server knows of this browser. */
async function known(app: App, page: Visit) {
  const { user_id, tags } = await app.visitor(await page.endpoint());
  return { user_id, tags };
}

test('what is known of a visitor before the subscription comes with it', async ({ app, open, visit }) => {
  const page = await visit(await open());
  await page.waitForState('unsubscribed');
  expect(await page.say('identify', 'user-42', await app.userToken('user-42'))).toBe('');
  expect(await page.say('addTags', ['sports', 'news', 'sports'])).toEqual(['news', 'sports']);
  expect(await page.say('removeTags', ['news'])).toEqual(['sports']);
  expect(await page.say('tags')).toEqual(['sports']);
  await page.subscribe();
  expect(page.requests).toEqual([publicKey, registration]);
  expect(await known(app, page)).toEqual({ user_id: 'user-42', tags: ['sports'] });
});

test('a subscriber’s user and tags are changed at once', async ({ app, open, visit }) => {
  const page = await visit(await open());
  await page.subscribe();
  expect(await page.say('identify', 'user-42', await app.userToken('user-42'))).toBe('');
  expect(await page.say('addTags', ['sports', 'news'])).toEqual(['news', 'sports']);
  expect(await page.say('removeTags', ['news'])).toEqual(['sports']);
  expect(await known(app, page)).toEqual({ user_id: 'user-42', tags: ['sports'] });
  await app.change(await page.endpoint(), { add_tags: ['_plan:pro'] });
  expect(await page.say('tags')).toEqual(['_plan:pro', 'sports']);
});

test('a page that says the same user on each view makes one request a day', async ({ app, open, visit, write }) => {
  const token = await app.userToken('user-42');
  const site = await open({ folder: await write(siteFiles(`${init()}; hato.identify("user-42", "${token}");`)) });
  const first = await visit(site);
  await first.subscribe();
  for (const [day, requests] of [
    [0, []],
    [0.9, []],
    [1.1, [registration, change]],
    [1.2, []],
  ] as const) {
    const page = await visit(site, day);
    // It is asked after the page's own call, and makes no request itself.
    await page.page.evaluate((token) => hato.identify('user-42', token), token);
    expect(page.requests, `day ${day}`).toEqual(requests);
  }
  expect((await known(app, first)).user_id).toBe('user-42');
});

test('another user takes the place of the one before', async ({ app, open, visit }) => {
  const page = await visit(await open());
  await page.subscribe();
  for (const user of ['one', 'two']) {
    expect(await page.say('identify', user, await app.userToken(user))).toBe('');
    expect((await known(app, page)).user_id).toBe(user);
  }
});

test('whoever logs out is not known to the subscription any more', async ({ app, open, visit }) => {
  const page = await visit(await open());
  await page.waitForState('unsubscribed');
  expect(await page.say('identify', 'user-42', await app.userToken('user-42'))).toBe('');
  expect(await page.say('addTags', ['sports'])).toEqual(['sports']);
  expect(await page.say('forget')).toBe('');
  expect(await page.say('tags')).toEqual([]);
  await page.subscribe();
  expect(await known(app, page)).toEqual({ user_id: null, tags: [] });

  expect(await page.say('identify', 'user-42', await app.userToken('user-42'))).toBe('');
  expect(await page.say('addTags', ['sports'])).toEqual(['sports']);
  expect(await page.say('forget')).toBe('');
  expect(await known(app, page)).toEqual({ user_id: null, tags: ['sports'] });
  await page.click('#unsubscribe');
  await page.subscribe();
  expect(await known(app, page)).toEqual({ user_id: null, tags: [] });
});

test('a log-out that the server could not be told of is told on the next page view', async ({ app, faultProxy, open, visit }) => {
  const site = await open({ server: faultProxy });
  const page = await visit(site);
  await page.subscribe();
  expect(await page.say('identify', 'user-42', await app.userToken('user-42'))).toBe('');
  faultProxy.fail(change, {});
  expect(await page.say('forget')).toBe('NETWORK_ERROR');
  faultProxy.fail(change);
  expect(await page.say('identify', 'user-1', '0'.repeat(64))).toBe('INVALID_USER_TOKEN');
  expect((await known(app, page)).user_id).toBe('user-42');
  const next = await visit(site);
  await next.waitForState('subscribed');
  expect(next.requests).toEqual([change]);
  expect((await known(app, page)).user_id).toBeNull();
  const last = await visit(site);
  await last.waitForState('subscribed');
  expect(last.requests).toEqual([]);
});

test('a log-out holds when the browser keeps a subscription that it was to end', async ({ app, open, visit }) => {
  const page = await visit(await open());
  await page.subscribe();
  expect(await page.say('identify', 'user-42', await app.userToken('user-42'))).toBe('');
  await page.page.evaluate(() => {
    const { unsubscribe } = PushSubscription.prototype;
    PushSubscription.prototype.unsubscribe = () => {
      PushSubscription.prototype.unsubscribe = unsubscribe;
      return Promise.reject(new Error('not now'));
    };
  });
  expect(await page.attempt('unsubscribe')).toBe('BROWSER_ERROR');
  expect(await page.say('forget')).toBe('');
  await page.subscribe();
  // The page is subscribed before the server is told of the log-out.
  await expect.poll(async () => (await known(app, page)).user_id, { intervals: [20] }).toBeNull();
});

test('whoever subscribes again is the same user', async ({ app, open, visit }) => {
  const page = await visit(await open());
  await page.subscribe();
  expect(await page.say('identify', 'user-42', await app.userToken('user-42'))).toBe('');
  await page.click('#unsubscribe');
  await page.subscribe();
  expect((await known(app, page)).user_id).toBe('user-42');
});

test('a wrong token changes nothing, and stands in the way of a subscription once', async ({ app, open, visit }) => {
  const page = await visit(await open());
  await page.waitForState('unsubscribed');
  const ofAnother = await app.userToken('user-1');
  expect(await page.say('identify', 'user-42', ofAnother)).toBe('');
  expect(await page.say('addTags', ['sports'])).toEqual(['sports']);
  expect(await page.attempt('subscribe')).toBe('INVALID_USER_TOKEN');
  await page.waitForState('unsubscribed');
  expect(await page.endpoints()).toEqual([]);
  expect(await app.subscribers()).toBe(0);
  await page.subscribe();
  expect(await known(app, page)).toEqual({ user_id: null, tags: ['sports'] });

  expect(await page.say('identify', 'user-1', ofAnother)).toBe('');
  expect(await page.say('identify', 'user-42', ofAnother)).toBe('INVALID_USER_TOKEN');
  expect(await known(app, page)).toEqual({ user_id: 'user-1', tags: ['sports'] });
});

test('what is no list of tags is refused without a request', async ({ open, visit }) => {
  const page = await visit(await open());
  await page.subscribe();
  const many = Array.from({ length: 51 }, (_, number) => `tag-${number}`);
  for (const bad of [['_plan:pro'], ['a b'], ['タグ'], [''], ['t'.repeat(65)], [7], many, 'sports', undefined]) {
    for (const name of ['addTags', 'removeTags'] as const) {
      expect(await page.say(name, bad), `${name} ${bad}`).toBe('INVALID_INPUT');
    }
  }
  expect(page.requests).toEqual([publicKey, registration]);
  expect(await page.say('addTags', ['t'.repeat(64), 'a_b.c:D-9'])).toHaveLength(2);
});

test('a change that the server could not be told of is dropped', async ({ app, faultProxy, open, visit }) => {
  const page = await visit(await open({ server: faultProxy }));
  await page.subscribe();
  faultProxy.fail(change, { status: 503, body: JSON.stringify({ error: 'だめ', code: 'CONFIG_ERROR' }) });
  expect(await page.say('addTags', ['sports'])).toBe('CONFIG_ERROR');
  faultProxy.fail(change);
  expect(await page.say('addTags', ['news'])).toEqual(['news']);
  expect((await known(app, page)).tags).toEqual(['news']);
});

test('a renewed endpoint keeps user and tags', async ({ app, open, push, visit }) => {
  const site = await open();
  const page = await visit(site);
  await page.subscribe();
  expect(await page.say('identify', 'user-42', await app.userToken('user-42'))).toBe('');
  expect(await page.say('addTags', ['sports'])).toEqual(['sports']);
  await app.change(await page.endpoint(), { add_tags: ['_plan:pro'] });
  const before = await page.endpoint();
  await push.renewBrowsers();
  await expect.poll(() => app.deactivated()).toBe(1);
  expect(await page.endpoint()).not.toBe(before);
  expect(await known(app, page)).toEqual({ user_id: 'user-42', tags: ['_plan:pro', 'sports'] });
});

test('a server that gave up on the endpoint gets a new one with the change', async ({ app, open, push, visit }) => {
  const page = await visit(await open());
  await page.subscribe();
  expect(await page.say('identify', 'user-42', await app.userToken('user-42'))).toBe('');
  expect(await page.say('addTags', ['sports'])).toEqual(['sports']);
  const dead = await page.endpoint();
  await push.forget(dead);
  expect((await app.send(notification('届かない'))).failed_expired).toBe(1);
  expect(await page.say('addTags', ['news'])).toEqual(['news', 'sports']);
  expect(await page.endpoint()).not.toBe(dead);
  expect(await known(app, page)).toEqual({ user_id: 'user-42', tags: ['news', 'sports'] });
});

test('a server that lost the registration is told of the user again', async ({ firefox, push }) => {
  const hato = await Hato.start(push);
  const app = await App.create(hato);
  const token = await app.userToken('user-42');
  const site = await CustomerSite.start(hato, app);
  await hato.backUp();
  const page = await Visit.open(firefox, site);
  await page.subscribe();
  expect(await page.say('identify', 'user-42', token)).toBe('');
  await hato.restore();
  expect(await page.say('addTags', ['sports'])).toEqual(['sports']);
  expect(await known(app, page)).toEqual({ user_id: 'user-42', tags: ['sports'] });
  await page.dispose();
  await site.stop();
  await hato.stop();
});

/** Makes the browser say another language and time zone than it has, from the next page on. */
async function pretend({ page }: Visit, language: string | undefined, timeZone: string): Promise<void> {
  const lie = (language: string | undefined, timeZone: string) => {
    Object.defineProperty(navigator, 'language', { get: () => language });
    const { resolvedOptions } = Intl.DateTimeFormat.prototype;
    Intl.DateTimeFormat.prototype.resolvedOptions = function () {
      return { ...resolvedOptions.call(this), timeZone };
    };
  };
  await page.evaluateOnNewDocument(lie, language, timeZone);
  await page.reload();
}

test('the browser’s language and time zone are told, and again when they change', async ({ app, open, visit }) => {
  const site = await open();
  const page = await visit(site);
  await page.subscribe();
  const [lang, time_zone] = await page.page.evaluate(() => [
    navigator.language,
    Intl.DateTimeFormat().resolvedOptions().timeZone,
  ]);
  const endpoint = await page.endpoint();
  expect(await app.visitor(endpoint)).toMatchObject({ lang, time_zone });

  page.requests.length = 0;
  await pretend(page, 'de-CH', 'America/Port-au-Prince');
  await page.waitForState('subscribed');
  expect(page.requests).toEqual([change]);
  expect(await app.visitor(endpoint)).toMatchObject({ lang: 'de-CH', time_zone: 'America/Port-au-Prince' });
  await page.page.reload();
  await page.waitForState('subscribed');
  expect(page.requests).toEqual([change]);
});

for (const [language, timeZone] of [
  ['ja_JP.UTF-8', '+09:00'],
  [`ja${'-abcdefgh'.repeat(4)}`, `Asia/${'T'.repeat(60)}`],
  [undefined, 'Asia//Tokyo'],
] as const) {
  test(`a language ${language} and a time zone ${timeZone} are left out`, async ({ app, open, visit }) => {
    const page = await visit(await open());
    await pretend(page, language, timeZone);
    await page.subscribe();
    expect(await app.visitor(await page.endpoint())).toMatchObject({ lang: null, time_zone: null });
  });
}

test('a browser without web push has no user and no tags', async ({ open, page }) => {
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  await page.addInitScript(() => Reflect.deleteProperty(window, 'PushManager'));
  await page.goto((await open()).url);
  const answers = await page.evaluate(async () => [
    await hato.identify('user-42', 'token'),
    await hato.addTags(['sports']),
    await hato.tags(),
    await hato.forget(),
  ]);
  expect(answers).toEqual([undefined, [], [], undefined]);
  expect(requests.filter((path) => path.startsWith('/api'))).toEqual([]);
});

test('what a page forgets to say is named', async ({ open, page, write }) => {
  await page.goto((await open({ folder: await write(siteFiles('')) })).url);
  const codes = await page.evaluate(() => {
    const { addTags, forget, identify, removeTags, tags } = hato as any;
    const attempts = [identify('user-42', ''), identify('', 'token'), identify('user-42', 'token'), forget(), tags()];
    attempts.push(addTags(['sports']), removeTags(['sports']));
    return Promise.all(attempts.map((attempt) => attempt.then(() => '', ({ code }: { code: string }) => code)));
  });
  const [noToken, noUser, ...others] = codes;
  expect([noToken, noUser]).toEqual(['MISSING_FIELDS', 'MISSING_FIELDS']);
  expect(others).toEqual(Array(5).fill('NOT_INITIALIZED'));
});
