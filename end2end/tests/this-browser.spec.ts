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

  // The page hears from the worker that it was shown, and the dove flies once.
  await page.evaluate(() => {
    const seen = { flights: 0, shown: 0 };
    Object.assign(window, { seen, channel: new BroadcastChannel('hato-shown') });
    addEventListener('animationstart', ({ animationName }) => { seen.flights += Number(animationName === 'fly'); });
    (window as unknown as Window & { channel: BroadcastChannel }).channel.onmessage = () => { seen.shown += 1; };
  });
  const seen = async () => {
    const window = await page.evaluateHandle('window.seen');
    return (await window.jsonValue()) as { flights: number; shown: number };
  };
  await press(1);
  await waitForText('届きました');
  await page.waitForFunction(() => document.querySelectorAll('.checklist .done').length === 2, { polling: 50 });
  // An animation's start is told of in a frame after the one that its style came with, if not in a later one.
  await page.waitForFunction('window.seen.flights > 0', { polling: 20 });
  expect(await seen()).toEqual({ flights: 1, shown: 1 });
  await press(1);
  await page.waitForFunction('window.seen.shown === 2', { polling: 20 });
  await waitForText('届きました');
  await page.evaluate(() => new Promise((drawn) => { requestAnimationFrame(() => requestAnimationFrame(drawn)); }));
  expect(await seen()).toEqual({ flights: 1, shown: 2 });
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

  // What is being written comes here first, from the site that this browser has subscribed at.
  const toMe = '.compose .form-actions button.quiet:not([hidden])';
  await page.goto(`${hato.url}/apps/${app}/send`);
  await page.waitForSelector(toMe);
  const sender = await page.$eval('.preview .notification-site', (it) => it.textContent);
  expect(sender).toBe(new URL(hato.url).host);
  await page.locator('#send-title').fill('書きかけ');
  await page.locator('#send-body').fill('まだ途中です。');
  await page.locator(toMe).click();
  const draft = async () => {
    const registrations = await navigator.serviceWorker.getRegistrations();
    const found = await Promise.all(registrations.map((it) => it.getNotifications()));
    return found.flat().find(({ title }) => title === '書きかけ')?.body;
  };
  const body = await page.waitForFunction(draft, { polling: 20 });
  expect(await body.jsonValue()).toBe('まだ途中です。');
  await page.waitForFunction(() => document.querySelector('.send-to-me')?.textContent?.includes('まもなく'), { polling: 20 });

  // The question offers the same.
  await Promise.all([page.waitForNavigation(), page.locator('button[value=review]').click()]);
  await page.locator('.review .form-actions button[type=button]:not([hidden])').click();
  const isTwice = async () => {
    const registrations = await navigator.serviceWorker.getRegistrations();
    const found = await Promise.all(registrations.map((it) => it.getNotifications()));
    return found.flat().filter(({ title }) => title === '書きかけ').length === 2;
  };
  await page.waitForFunction(isTwice, { polling: 20 });

  await page.goto(`${hato.url}/apps/${app}`);
  await waitForText('で通知を受け取っています');
  await press(2);
  await waitForText('まだ通知を受け取っていません');
  const left = await hato.api('GET', `/api/v1/apps/${app}`, session);
  expect(left.json.active_subscriptions).toBe(0);
  expect(consoleErrors).toEqual([]);
  await page.browserContext().close();
});
