// Picture, buttons and the rest, from the form to the notification.

import { openSession } from '../support/dashboard.ts';
import { expect, test } from '../support/fixtures.ts';

test('what the form has beyond title and text is what Firefox shows', async ({ app, firefox, hato, open, visit }) => {
  const visitor = await visit(await open());
  await visitor.subscribe();
  const { page, consoleErrors } = await openSession(firefox, hato.url, await hato.ownerSession(), `/apps/${app.id}/send`);
  await page.waitForSelector('[name=send_at][hidden]');
  await page.locator('#send-title').fill('ご注文の品');
  await page.locator('#send-body').fill('発送しました。');
  await page.locator('details:has(#send-tag) > summary').click();
  await page.locator('#send-button_1').fill('追跡');
  await page.locator('#send-button_3').fill('返品');
  await page.locator('#send-button_3_url').fill('https://shop.example/return');
  await page.locator('#send-button_3_icon').fill('https://shop.example/r.png');
  await page.locator('#send-tag').fill('order-17');
  await page.locator('[name="require_interaction"]').click();
  await page.locator('#send-data').fill('{"order": 17}');
  await page.select('#send-dir', 'rtl');
  for (const step of ['review', 'send']) {
    await Promise.all([page.waitForNavigation(), page.locator(`button[value="${step}"]`).click()]);
  }
  const { data } = await visitor.notification('ご注文の品');
  expect(data).toMatchObject({ order: 17, hatoActions: { 'button-3': 'https://shop.example/return' } });
  expect(await visitor.options('ご注文の品')).toEqual({ tag: 'order-17', requireInteraction: true, dir: 'rtl' });
  expect(consoleErrors).toEqual([]);
  await page.browserContext().close();
});
