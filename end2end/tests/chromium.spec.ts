import { type CDPSession, expect, type Page, test } from '@playwright/test';

import { type CustomerSite, startCustomerSite } from '../support/customer-site.ts';
import { Hato } from '../support/hato.ts';
import { PushService } from '../support/push-service.ts';

let push: PushService;
let hato: Hato;
let site: CustomerSite;

test.beforeAll(async () => {
  push = await PushService.start();
  hato = await Hato.start(push);
  site = await startCustomerSite(hato.url, 'pk_'.padEnd(67, '0'));
});

test.afterAll(async () => {
  await site?.stop();
  await hato?.stop();
  await push?.stop();
});

/** Registers the customer's worker, as the page script does, and resolves with its registration's id. */
async function registerWorker(page: Page, devtools: CDPSession): Promise<string> {
  const registered = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
      const active = versions.find((version) => version.status === 'activated');
      if (active) resolve(active.registrationId);
    });
  });
  await devtools.send('ServiceWorker.enable');
  await page.evaluate(() => navigator.serviceWorker.register('/hato-sw.js'));
  return registered;
}

function shownNotification(page: Page) {
  return page.waitForFunction(async () => {
    const registration = await navigator.serviceWorker.ready;
    const [shown] = await registration.getNotifications();
    return shown && { title: shown.title, body: shown.body, data: JSON.stringify(shown.data) };
  });
}

test('a push to the worker in Chromium shows its notification, and garbage still shows one', async ({ page, context }) => {
  await context.grantPermissions(['notifications'], { origin: site.url });
  await page.goto(site.url);
  const devtools = await context.newCDPSession(page);
  const registrationId = await registerWorker(page, devtools);
  const deliver = (data: string) =>
    devtools.send('ServiceWorker.deliverPushMessage', { origin: site.url, registrationId, data });

  await deliver(JSON.stringify({ title: '焼きたて', body: '本文', url: 'https://example.com/a' }));
  const shown = await (await shownNotification(page)).jsonValue();
  expect(shown).toMatchObject({ title: '焼きたて', body: '本文' });
  expect((shown as { data: string }).data).toContain('https://example.com/a');

  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    for (const notification of await registration.getNotifications()) notification.close();
  });
  await deliver('{ this is not JSON');
  const fallback = await (await shownNotification(page)).jsonValue();
  expect((fallback as { title: string }).title).not.toBe('');
});
