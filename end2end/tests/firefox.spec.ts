import { expect, test } from '@playwright/test';
import type { Browser, Page } from 'puppeteer-core';

import { type CustomerSite, startCustomerSite } from '../support/customer-site.ts';
import { createApp, createKey, register } from '../support/dashboard.ts';
import { startFirefox } from '../support/firefox.ts';
import { Hato } from '../support/hato.ts';
import { PushService } from '../support/push-service.ts';

let push: PushService;
let hato: Hato;
let site: CustomerSite;
let firefox: Browser;

test.beforeAll(async () => {
  push = await PushService.start();
  hato = await Hato.start(push);
  firefox = await startFirefox(push.websocketUrl);
});

test.afterAll(async () => {
  await firefox?.close();
  await site?.stop();
  await hato?.stop();
  await push?.stop();
});

/** Collects what `page` complains about; an empty console is part of every page. */
function complaints(page: Page): string[] {
  const found: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) found.push(message.text());
  });
  page.on('pageerror', (error) => found.push(String(error)));
  return found;
}

/** The notification that the customer's worker shows, once it is there. */
async function shownNotification(page: Page): Promise<{ title: string; body: string; data: unknown }> {
  const handle = await page.waitForFunction(async () => {
    const registration = await navigator.serviceWorker.ready;
    const [shown] = await registration.getNotifications();
    return shown && { title: shown.title, body: shown.body, data: shown.data };
  });
  return handle.jsonValue() as Promise<{ title: string; body: string; data: unknown }>;
}

/** The only send of the app, once every recipient is accounted for. */
async function finishedSend(app: string, fullKey: string): Promise<any> {
  let item: any;
  await expect
    .poll(async () => {
      const history = await hato.api('GET', `/api/v1/apps/${app}/notifications`, fullKey);
      item = history.json.items[0];
      return item.status;
    })
    .toBe('done');
  return item;
}

test('from sign-up in the dashboard to a notification in a real Firefox', async () => {
  const dashboard = await firefox.newPage();
  const dashboardComplaints = complaints(dashboard);
  await register(dashboard, hato.url, 'owner@example.com');
  const app = await createApp(dashboard, hato.url, 'はとパン');
  const subscribeKey = await createKey(dashboard, hato.url, app, 'subscribe_only');
  const notifyKey = await createKey(dashboard, hato.url, app, 'notify');
  const fullKey = await createKey(dashboard, hato.url, app, 'full');

  site = await startCustomerSite(hato.url, subscribeKey);
  const page = await firefox.newPage();
  const pageComplaints = complaints(page);
  await page.goto(site.url);
  await page.waitForFunction(() => document.querySelector('#state')?.textContent === 'unsubscribed');
  await page.locator('#subscribe').click();
  await page.waitForFunction(() => document.querySelector('#state')?.textContent !== 'unsubscribed');
  expect(await page.$eval('#state', (state) => state.textContent)).toBe('subscribed');

  const url = 'https://example.com/croissant';
  const accepted = await hato.api('POST', '/api/v1/notify', notifyKey, {
    title: '焼きたてです',
    body: 'クロワッサンが焼きあがりました。',
    url,
  });
  expect(accepted).toMatchObject({ status: 202, json: { ok: true, queued: 1 } });

  const shown = await shownNotification(page);
  expect(shown.title).toBe('焼きたてです');
  expect(shown.body).toBe('クロワッサンが焼きあがりました。');
  expect(JSON.stringify(shown.data)).toContain(url);

  const send = await finishedSend(app, fullKey);
  expect(send).toMatchObject({ send_id: accepted.json.send_id, recipients: 1, sent_count: 1, failed_count: 0 });

  await dashboard.goto(`${hato.url}/apps/${app}`);
  expect(await dashboard.evaluate(() => document.body.innerText)).toContain('焼きたてです');
  expect(dashboardComplaints).toEqual([]);
  expect(pageComplaints).toEqual([]);
});
