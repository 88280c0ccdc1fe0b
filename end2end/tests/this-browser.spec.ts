// The owner's own browser as a subscriber, on the dashboard's own origin, in a real Firefox.

import { openSession } from '../support/dashboard.ts';
import { expect, test } from '../support/fixtures.ts';

test('an owner subscribes the browser, sends a test, and leaves', async ({ firefox, hato }) => {
  const session = await hato.ownerSession();
  const app = (await hato.api('POST', '/api/v1/apps', session, { name: 'はとパン' })).json.appId as string;
  const { page, consoleErrors } = await openSession(firefox, hato.url, session, `/apps/${app}`);
  const waitForText = (text: string) =>
    page.waitForFunction(
      (text: string) => document.querySelector('.push-state')?.textContent?.includes(text),
      { polling: 20 },
      text,
    );
  const press = (number: number) => page.locator(`.try .actions:not([hidden]) button:nth-of-type(${number})`).click();

  await waitForText('まだ通知を受け取っていません');
  await press(1);
  await waitForText('で通知を受け取っています');
  const shown = await hato.api('GET', `/api/v1/apps/${app}`, session);
  expect(shown.json.active_subscriptions).toBe(1);
  await page.waitForFunction(() => document.querySelectorAll('.checklist .done').length === 1, { polling: 50 });

  await press(1);
  await waitForText('まもなく通知が届きます');
  const find = async () => {
    const registrations = await navigator.serviceWorker.getRegistrations();
    const found = await Promise.all(registrations.map((it) => it.getNotifications()));
    return found.flat()[0]?.title;
  };
  const title = await page.waitForFunction(find, { polling: 20 });
  expect(await title.jsonValue()).toBe('Hato からのテスト通知');
  const scopes = await page.evaluate(async () => {
    const registrations = await navigator.serviceWorker.getRegistrations();
    return registrations.map(({ scope }) => new URL(scope).pathname);
  });
  expect(scopes).toEqual([`/sdk/browsers/${app}/`]);

  await page.reload();
  await waitForText('で通知を受け取っています');
  await press(2);
  await waitForText('まだ通知を受け取っていません');
  const left = await hato.api('GET', `/api/v1/apps/${app}`, session);
  expect(left.json.active_subscriptions).toBe(0);
  expect(consoleErrors).toEqual([]);
  await page.browserContext().close();
});
