// What the dashboard shows by itself while somebody looks, and what it says when something is in the way.

import type { Browser, Page } from '@playwright/test';

import type { Hato } from '../support/hato.ts';
import { expect, test } from '../support/fixtures.ts';
import { openLoggedIn } from '../support/console-guard.ts';

interface AppPage {
  page: Page;
  consoleErrors: string[];
  session: string;
  app: string;
}

/** The page at `below` of a new app, opened by its owner. */
async function open(browser: Browser, hato: Hato, below = '', owner?: string): Promise<AppPage> {
  const session = owner ?? (await hato.ownerSession());
  const app = (await hato.api('POST', '/api/v1/apps', session, { name: 'はとパン' })).json.appId as string;
  const guarded = await openLoggedIn(browser, hato.url, session, { locale: 'ja-JP' });
  await guarded.page.goto(`/apps/${app}${below}`);
  return { ...guarded, session, app };
}

const subscribe = async (hato: Hato, appPage: AppPage, subscription: object) => {
  const asked = { name: 'ページ用', scope: 'subscribe_only' };
  const { json } = await hato.api('POST', `/api/v1/apps/${appPage.app}/keys`, appPage.session, asked);
  const registered = await hato.api('POST', '/api/v1/subscriptions', json.key, subscription);
  expect(registered.status).toBe(201);
};

const send = async (hato: Hato, appPage: AppPage, members = {}) => {
  const notification = { title: '焼きたてです', body: 'クロワッサンが焼きあがりました。', ...members };
  const { json } = await hato.api('POST', `/api/v1/apps/${appPage.app}/notify`, appPage.session, notification);
  return json.send_id as string;
};

/** Whether this is about the events of a send. */
const isEvents = (it: { url(): string }) => it.url().endsWith('/events');

test('the overview shows what happens elsewhere, to the last tick', { tag: '@database' }, async ({ browser, hato, push }) => {
  const appPage = await open(browser, hato);
  const { page } = appPage;
  await page.evaluate(() => document.body.setAttribute('data-first', ''));
  await expect(page.locator('.checklist li.open')).toHaveCount(3);
  const [subscription] = await push.subscribe(1);
  await subscribe(hato, appPage, subscription);
  await expect(page.locator('.checklist li.done')).toHaveCount(2);
  await expect(page.locator('.figure b').first()).toHaveText('1');
  await expect(page.locator('.chart .empty')).toBeVisible();
  await send(hato, appPage);
  await expect(page.locator('.checklist li.done')).toHaveCount(3);
  await expect(page.locator('.figure b').nth(2)).toHaveText('1');
  await page.locator('.chart summary').click();
  await expect(page.locator('.chart tbody tr')).toHaveCount(1);
  // All of it on the page as it was opened.
  await expect(page.locator('body[data-first]')).toHaveCount(1);
  await page.reload();
  await expect(page.locator('.checklist')).toHaveCount(0);
  expect(appPage.consoleErrors).toEqual([]);
  await page.context().close();
});

test('what recipients do with a send is shown while it comes in', async ({ browser, hato, push }) => {
  const appPage = await open(browser, hato);
  const { page } = appPage;
  const [subscription] = await push.subscribe(1);
  await subscribe(hato, appPage, subscription!);
  await hato.api('PATCH', `/api/v1/apps/${appPage.app}`, appPage.session, { tracking: 'counts' });
  const action = 'W'.repeat(32);
  const id = await send(hato, appPage, { actions: [{ action, title: '買う' }] });
  await page.goto(`/apps/${appPage.app}/sends/${id}`);
  await expect(page.locator('.progress .status')).toHaveText('完了');
  const token = JSON.parse(await push.plaintext(subscription!.endpoint)).t;
  await page.evaluate(() => document.body.setAttribute('data-first', ''));
  const way = (name: string) => page.locator(`.way .${name} text`);
  await expect(way('displayed')).toHaveText('表示 0');
  for (const event of ['displayed', 'clicked']) {
    const body = JSON.stringify({ token, event, action });
    expect((await fetch(`${hato.url}/api/v1/events`, { method: 'POST', body })).status).toBe(204);
    await expect(way(event)).toHaveText(/ 1$/);
  }
  await expect(page.getByRole('img', { name: 'クリック 1' })).toBeVisible();
  await expect(page.locator('#engagement tbody tr', { hasText: action })).toHaveText(/1\s*100\.0%/);
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await expect(page.locator('body[data-first]')).toHaveCount(1);
  expect(appPage.consoleErrors).toEqual([]);
  await page.context().close();
});

test('a send is followed to its end by whoever gets no events', async ({ browser, hato, push }) => {
  const appPage = await open(browser, hato);
  const { page } = appPage;
  const [subscription] = await push.subscribe(1);
  await push.answer(subscription!.endpoint, '503');
  await subscribe(hato, appPage, subscription!);
  const events = /\/events$/;
  await page.route(events, (route) => route.fulfill({ status: 429, body: 'RATE_LIMITED' }));
  await page.goto(`/apps/${appPage.app}/sends/${await send(hato, appPage)}`);
  await expect(page.locator('.progress[data-running]')).toBeVisible();
  await page.context().setOffline(true);
  await expect(page.locator('.send .note')).toContainText('サーバーに接続できません');
  await push.answer(subscription!.endpoint, '201');
  await page.context().setOffline(false);
  await expect(page.locator('.progress .status')).toHaveText('完了');
  await expect(page.locator('.counts .sent dd')).toHaveText('1');
  await expect(page.locator('.send .note')).toBeHidden();
  await expect(page.locator('#cancelling')).toHaveCount(0);
  await page.context().close();
});

test('a page that nobody sees holds no connection', async ({ browser, hato, push }) => {
  const appPage = await open(browser, hato);
  const { page } = appPage;
  const [subscription] = await push.subscribe(1);
  await push.answer(subscription!.endpoint, '503');
  await subscribe(hato, appPage, subscription!);
  const setHidden = (hidden: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  const opened = page.waitForResponse(isEvents);
  await page.goto(`/apps/${appPage.app}/sends/${await send(hato, appPage)}`);
  await opened;
  const closed = page.waitForEvent('requestfailed', isEvents);
  await setHidden(true);
  await closed;
  const reopened = page.waitForResponse(isEvents);
  await setHidden(false);
  await reopened;
  await push.answer(subscription!.endpoint, '201');
  await expect(page.locator('.progress .status')).toHaveText('完了');
  expect(appPage.consoleErrors).toEqual([]);
  await page.context().close();
});

test('a follower is told when the session is over', async ({ browser, hato, push }) => {
  const account = { email: 'follower@example.com', password: 'correct horse' };
  const owner = (await hato.api('POST', '/auth/register', undefined, account)).json.session_token as string;
  const appPage = await open(browser, hato, '', owner);
  const { page } = appPage;
  const [subscription] = await push.subscribe(1);
  await push.answer(subscription!.endpoint, '503');
  await subscribe(hato, appPage, subscription!);
  const id = await send(hato, appPage);
  const opened = page.waitForResponse(isEvents);
  await page.goto(`/apps/${appPage.app}/sends/${id}`);
  await opened;
  expect((await hato.api('POST', '/auth/logout', owner)).status).toBe(200);
  await expect(page.locator('.send .note')).toContainText('再読み込み');
  await page.context().close();
});

test('what cannot be copied is selected', async ({ browser, hato }) => {
  const appPage = await open(browser, hato, '/settings');
  const { page } = appPage;
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined }));
  await page.reload();
  await page.locator('#app-id').locator('xpath=../..').locator('button').click();
  await expect(page.locator('button.copy').first()).toContainText('選択しました');
  expect(await page.evaluate(() => getSelection()?.toString())).toBe(appPage.app);
  expect(appPage.consoleErrors).toEqual([]);
  await page.context().close();
});

test('whoever cannot subscribe is told what to do, and whoever wants less motion sees no dove', async ({ browser, hato }) => {
  const { page, session, app } = await open(browser, hato);
  const flies = async (reducedMotion: 'reduce' | 'no-preference') => {
    await page.emulateMedia({ reducedMotion });
    return page.evaluate(() => {
      document.querySelector('.push-state')!.toggleAttribute('data-arrived', true);
      return document.getAnimations().some((it) => (it as CSSAnimation).animationName === 'fly');
    });
  };
  expect(await flies('reduce')).toBe(false);
  await expect(page.locator('.dove')).toBeHidden();
  expect(await flies('no-preference')).toBe(true);
  await page.context().close();
  const pretend = async (script: () => void, says: string, clicks = false) => {
    const { page, consoleErrors } = await openLoggedIn(browser, hato.url, session, { locale: 'ja-JP' });
    await page.addInitScript(script);
    await page.goto(`/apps/${app}`);
    if (clicks) await page.locator('.try .actions:not([hidden]) button').click();
    await expect(page.locator('.push-state')).toContainText(says);
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  };
  await pretend(() => Object.defineProperty(window, 'isSecureContext', { value: false }), 'https のページでしか');
  await pretend(() => {
    Object.defineProperty(Navigator.prototype, 'serviceWorker', { value: undefined });
  }, 'プライベートウィンドウ');
  await pretend(() => {
    Object.defineProperty(Notification, 'permission', { value: 'denied' });
  }, 'アドレスバーのアイコンから');
  const dismiss = () => {
    Object.defineProperty(Notification, 'permission', { value: 'default' });
    Notification.requestPermission = () => Promise.resolve('default' as NotificationPermission);
  };
  await pretend(dismiss, '選ばれませんでした', true);
});
