// The command palette and the theme, as somebody uses them: with the keyboard alone, with a pointer, and with scripts off.

import type { Page } from '@playwright/test';

import { ApiApp, registerAccount } from '../support/api-app.ts';
import { openLoggedIn } from '../support/console-guard.ts';
import { expect, test } from '../support/dashboard-test.ts';

const owner = { email: 'owner@example.com', password: 'correct horse' };

/** The paper's colour as the browser paints it. */
function paper(page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
}

const light = 'rgb(243, 245, 249)';
const dark = 'rgb(16, 21, 31)';

test('the palette finds what is typed, and the theme stays as chosen', async ({ browser, ownHato: hato }) => {
  const session = await registerAccount(hato, owner);
  const app = await ApiApp.create(hato, session, 'はとパン');
  await ApiApp.create(hato, session, '二号店');
  const { page, consoleErrors } = await openLoggedIn(browser, hato.url, session, { locale: 'en-GB', colorScheme: 'dark' });
  await page.goto(`${app.path}/keys`);
  const palette = page.getByRole('dialog', { name: 'Search' });
  const field = palette.getByRole('combobox');
  const options = palette.getByRole('option');
  const chosen = palette.getByRole('option', { selected: true });

  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  await expect(options.filter({ hasText: 'API keys' })).toBeVisible();
  await field.fill('二号');
  await expect(options).toHaveText([/App\s+二号店/]);
  await expect(palette.getByRole('status')).toHaveText('1 result.');
  await field.fill('ap');
  await expect(options.first()).toContainText('API keys');
  await expect(chosen).toContainText('API keys');
  const id = await options.nth(1).getAttribute('id');
  await page.keyboard.press('ArrowDown');
  await expect(field).toHaveAttribute('aria-activedescendant', id!);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect(chosen).toHaveText((await options.last().textContent())!);
  await page.keyboard.press('Escape');
  await expect(palette).toBeHidden();
  await page.keyboard.press('Control+k');
  await expect(palette).toBeVisible();
  await page.mouse.click(5, 5);
  await expect(palette).toBeHidden();

  await page.getByRole('link', { name: 'Search', exact: true }).click();
  await field.fill('undelivered');
  await expect(options).toHaveCount(1);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**${app.path}/dead-letters`);
  await page.keyboard.press('Control+k');
  await field.fill('webhook');
  await options.filter({ hasText: 'Webhook' }).first().click();
  await page.waitForURL(`**${app.path}/webhook`);

  await page.locator('details.menu summary').click();
  await expect(page.getByRole('link', { name: '二号店' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('link', { name: '二号店' })).toBeHidden();

  expect(await paper(page)).toBe(dark);
  await page.getByRole('button', { name: 'Light' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  expect(await paper(page)).toBe(light);
  await page.goto('/account');
  expect(await paper(page)).toBe(light);
  await page.getByRole('button', { name: 'System' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'system');
  expect(await paper(page)).toBe(dark);

  const secret = page.locator('#password-current');
  await secret.fill('correct horse');
  const show = page.locator('#password .show-password').first();
  await show.click();
  await expect(secret).toHaveAttribute('type', 'text');
  await expect(show).toHaveAttribute('aria-pressed', 'true');
  await show.click();
  await expect(secret).toHaveAttribute('type', 'password');

  // Whose session has ended is led to the login.
  await page.context().clearCookies();
  await page.keyboard.press('Control+k');
  await page.waitForURL('**/login?next=*');
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

test('the palette finds sends and subscribers of the app', async ({ browser, ownHato: hato, push }) => {
  const session = await registerAccount(hato, owner);
  const app = await ApiApp.create(hato, session, 'はとパン');
  const browsers = await push.subscribe(2);
  await app.subscribe(browsers);
  await app.identify(browsers[0]!, 'member-1', []);
  const send = await app.send({ title: 'クロワッサン', body: '焼きあがりました。' });
  await app.waitForStatus(send, 'done');
  const { page, consoleErrors } = await openLoggedIn(browser, hato.url, session, { locale: 'en-GB' });
  const palette = page.getByRole('dialog', { name: 'Search' });
  for (const [text, kind, path] of [
    ['ロワッサ', 'Send', `${app.path}/sends/${send}`],
    ['member-1', 'Subscriber', `${app.path}/subscribers/sub_*`],
  ] as const) {
    await page.goto(app.path);
    await page.keyboard.press('Control+k');
    await palette.getByRole('combobox').fill(text);
    await expect(palette.getByRole('option')).toHaveCount(1);
    await expect(palette.getByRole('option')).toContainText(kind);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${path}`);
  }
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

test('the palette finds sends and subscribers of all apps from pages of none', async ({ browser, ownHato: hato, push }) => {
  const session = await registerAccount(hato, owner);
  const stranger = await registerAccount(hato, { email: 'stranger@example.com', password: 'correct horse' });
  const [subscriber, strange] = await push.subscribe(2);
  const strangeApp = await ApiApp.create(hato, stranger, 'はとカフェ');
  await strangeApp.subscribe([strange!]);
  await strangeApp.identify(strange!, 'member-1', []);
  await strangeApp.send({ title: 'クロワッサン', body: '別のお店です。' });
  const app = await ApiApp.create(hato, session, 'はとパン');
  await ApiApp.create(hato, session, '二号店');
  await app.subscribe([subscriber!]);
  await app.identify(subscriber!, 'member-1', []);
  const send = await app.send({ title: 'クロワッサン', body: '焼きあがりました。' });
  await app.waitForStatus(send, 'done');
  const { page, consoleErrors } = await openLoggedIn(browser, hato.url, session, { locale: 'en-GB' });
  const palette = page.getByRole('dialog', { name: 'Search' });
  const options = palette.getByRole('option');
  for (const from of ['/apps', '/account', '/pricing', '/docs/api', '/docs/embed', '/search', '/']) {
    for (const [text, found, path] of [
      ['ロワッサ', /^Send\s+はとパン\s+クロワッサン/, `${app.path}/sends/${send}`],
      ['member-1', /^Subscriber\s+はとパン\s+.*member-1/, `${app.path}/subscribers/sub_*`],
      ['二号', /^App\s+二号店/, '/apps/*'],
    ] as const) {
      await page.goto(from);
      await page.keyboard.press('Control+k');
      await palette.getByRole('combobox').fill(text);
      await expect(options).toHaveText([found]);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**${path}`);
    }
  }
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

test('without scripts the search is a page, and the theme a form', async ({ browser, ownHato: hato }) => {
  const session = await registerAccount(hato, owner);
  const app = await ApiApp.create(hato, session, 'はとパン');
  const options = { locale: 'en-GB', javaScriptEnabled: false };
  const { page } = await openLoggedIn(browser, hato.url, session, options);
  await page.goto(app.path);
  await page.getByRole('link', { name: 'Search', exact: true }).click();
  await page.locator('#search-text').fill('settings');
  await page.locator('.search-page [type=submit]').click();
  await page.locator('#found a').click();
  await page.waitForURL(`**${app.path}/settings`);
  await page.getByRole('button', { name: 'Dark' }).click();
  await expect(page).toHaveURL(new RegExp(`${app.path}/settings$`));
  await expect(page.locator('body')).toHaveCSS('background-color', dark);
  await page.goto('/account');
  await expect(page.locator('.show-password').first()).toBeHidden();
  await page.context().close();
});
