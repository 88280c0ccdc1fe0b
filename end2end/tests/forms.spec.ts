// What a form says when something is wrong with it, and the questions that it asks: with scripts, and without.

import type { Page } from '@playwright/test';

import { ApiApp, registerAccount } from '../support/api-app.ts';
import { openGuarded, openLoggedIn } from '../support/console-guard.ts';
import { expect, test } from '../support/dashboard-test.ts';

const password = 'correct horse';

/** Whether the page's header is to be seen without scrolling. */
function seesHeader(page: Page): Promise<boolean> {
  return page.locator('.site-header').evaluate((header) => header.getBoundingClientRect().top >= 0);
}

test('every wrong field is named, and what is typed stays', async ({ browser, ownHato: hato }) => {
  await registerAccount(hato, { email: 'taken@example.com', password });
  const { page, consoleErrors } = await openGuarded(browser, {
    baseURL: hato.url,
    locale: 'en-GB',
    viewport: { width: 800, height: 420 },
  });
  await page.goto('/register');
  await page.evaluate(() => ((globalThis as any).stayed = true));
  const submit = page.locator('#register [type=submit]');
  const email = page.locator('#register-email');
  const secret = page.locator('#register-password');
  const wrong = page.locator('#register .wrong');

  await submit.click();
  await expect(wrong).toHaveText(['Please fill this in.', 'Please fill this in.']);
  await expect(page.locator('#register .hint')).toBeVisible();
  await expect(email).toBeFocused();
  await email.fill('nobody');
  await secret.fill('short');
  await submit.click();
  await expect(wrong).toHaveText([/^Enter an email address/, 'Enter 8 to 128 characters.']);
  await expect(email).toHaveAccessibleDescription(/Enter an email address/);
  await email.fill('taken@example.com');
  await secret.fill('another horse');
  await expect(wrong).toHaveCount(0);

  await submit.click();
  await expect(page.locator('.note.error')).toHaveText('This email address is already registered.');
  await expect(email).toHaveAttribute('aria-invalid', 'true');
  await expect(secret).toHaveValue('another horse');
  expect(await seesHeader(page)).toBe(true);
  expect(await page.evaluate(() => (globalThis as any).stayed)).toBe(true);
  await email.fill('new@example.com');
  await submit.click();
  await page.waitForURL('**/apps');

  // The old password is wrong: the new one need not be thought up again.
  await page.goto('/account');
  await page.locator('#password-current').fill('not it');
  await page.locator('#password-new').fill('a third horse');
  await page.locator('#password [type=submit]').click();
  await expect(page.locator('#password .note.error')).toBeVisible();
  await expect(page.locator('#password-new')).toHaveValue('a third horse');
  await page.locator('#password-current').fill('another horse');
  await page.locator('#password [type=submit]').click();
  await expect(page.locator('#password .note.success')).toBeVisible();

  // Whoever tries too often is told so beside what they typed.
  await page.context().clearCookies();
  await page.goto('/login');
  await page.locator('#login-email').fill('new@example.com');
  await page.locator('#login-password').fill('wrong');
  const note = page.locator('.note.error');
  while (!(await note.textContent({ timeout: 100 }).catch(() => ''))?.includes('Too many requests')) {
    const answered = page.waitForResponse((answer) => answer.url().endsWith('/_app/login'));
    await page.locator('#login [type=submit]:not([aria-disabled])').click();
    await answered;
    await expect(note).toBeVisible();
  }
  await expect(page.locator('#login-email')).toHaveValue('new@example.com');
  await expect(page.locator('#login-password')).toHaveValue('wrong');
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

test('without scripts a refused form keeps the header in sight and the way back', async ({ browser, ownHato: hato }) => {
  const options = { baseURL: hato.url, locale: 'en-GB', javaScriptEnabled: false, viewport: { width: 800, height: 420 } };
  const { page } = await openGuarded(browser, options);
  const logIn = async () => {
    await page.locator('#login-email').fill('nobody@example.com');
    await page.locator('#login-password').fill('wrong');
    await page.locator('#login [type=submit]').click();
  };
  await page.goto('/login?next=%2Faccount');
  await logIn();
  await expect(page.locator('.note.error')).toBeVisible();
  await expect(page.locator('#login-email')).toHaveValue('nobody@example.com');
  expect(await seesHeader(page)).toBe(true);
  for (;;) {
    await logIn();
    if (await page.locator('.error-page').count()) break;
  }
  await expect(page.locator('.error-page a.button')).toHaveAttribute('href', /^\/login\?.*next=%2Faccount/);
  await page.locator('.switch [lang=ja]').click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'ja');
  await expect(page.locator('#login')).toBeVisible();
  expect(new URL(page.url()).search).toContain('next=%2Faccount');
  await page.context().close();
});

test('questions close with Escape and a click beside them, and move no row', async ({ browser, ownHato: hato }) => {
  const session = await registerAccount(hato, { email: 'owner@example.com', password });
  const app = await ApiApp.create(hato, session, 'はとパン');
  for (const name of ['one', 'two', 'three']) await app.request('POST', '/keys', { name, scope: 'notify' });
  for (const width of [390, 1280]) {
    const { page, consoleErrors } = await openLoggedIn(browser, hato.url, session, { viewport: { width, height: 900 } });
    await page.goto(`${app.path}/keys`);
    const rows = page.locator('table.keys tbody tr');
    const tops = () => rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().top + scrollY));
    const before = await tops();
    const question = rows.first().locator('details.confirm');
    const body = question.locator('.confirm-body');
    await question.locator('summary').click();
    await expect(body).toBeVisible();
    expect(await tops()).toEqual(before);
    await page.keyboard.press('Escape');
    await expect(body).toBeHidden();
    await expect(question.locator('summary')).toBeFocused();
    await question.locator('summary').click();
    await expect(body).toBeVisible();
    await body.click({ position: { x: 5, y: 5 } });
    await expect(body).toBeVisible();
    await page.locator('h1').click();
    await expect(body).toBeHidden();
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  }
});

test('a long name stretches no neighbour, and the site has its icons', async ({ browser, ownHato: hato }) => {
  const session = await registerAccount(hato, { email: 'owner@example.com', password });
  for (const name of ['short', 'x'.repeat(100), '長い名前'.repeat(25)]) await ApiApp.create(hato, session, name);
  const { page } = await openLoggedIn(browser, hato.url, session, { viewport: { width: 1280, height: 900 } });
  await page.goto('/apps');
  const boxes = await page.locator('.app-card').evaluateAll((all) => all.map((card) => card.getBoundingClientRect().toJSON()));
  const [short, ...long] = boxes.toSorted((a, b) => a.height - b.height);
  for (const box of long) {
    expect(box.height - short.height).toBeLessThan(60);
    expect(Math.abs(box.width - short.width)).toBeLessThan(1);
  }
  for (const [file, type] of [
    ['favicon.ico', 'image/x-icon'],
    ['apple-touch-icon.png', 'image/png'],
    ['og.png', 'image/png'],
    ['manifest.webmanifest', 'application/manifest+json'],
  ]) {
    const answer = await page.request.get(`${hato.url}/${file}`);
    expect([answer.status(), answer.headers()['content-type']], file).toEqual([200, type]);
  }
  const manifest = await (await page.request.get(`${hato.url}/manifest.webmanifest`)).json();
  expect(manifest).toMatchObject({ display: 'standalone', start_url: '/apps' });
  for (const { src } of manifest.icons) expect((await page.request.get(hato.url + src)).status(), src).toBe(200);
  await page.context().close();
});

test('a refused notification names each wrong field, with scripts and without', async ({ browser, ownHato: hato }) => {
  const session = await registerAccount(hato, { email: 'owner@example.com', password });
  const app = await ApiApp.create(hato, session, 'はとパン');
  const options = { locale: 'en-GB', javaScriptEnabled: false, viewport: { width: 800, height: 700 } };
  const { page } = await openLoggedIn(browser, hato.url, session, options);
  const refuse = async (fields: Record<string, string>, wrong: Record<string, RegExp>) => {
    await page.goto(`${app.path}/send`);
    for (const summary of await page.locator('form.compose details > summary').all()) await summary.click();
    const typed = { title: 'Fresh', body: 'Croissants', ...fields };
    for (const [name, value] of Object.entries(typed)) await page.locator(`#send-${name}`).fill(value);
    // The server has to judge it.
    await page.locator('form.compose').evaluate((form: HTMLFormElement) => (form.noValidate = true));
    await page.locator('button[value=review]').click();
    await expect(page.locator('form.compose .wrong')).toHaveCount(Object.keys(wrong).length);
    expect(await seesHeader(page)).toBe(true);
    for (const [name, says] of Object.entries(wrong)) {
      const field = page.locator(`#send-${name}`);
      await expect(field).toHaveAttribute('aria-invalid', 'true');
      await expect(field).toHaveAccessibleDescription(says);
      await expect(field).toHaveValue((typed as Record<string, string>)[name] ?? '');
      await page.locator(`.note.error a[href="#send-${name}"]`).click();
      await expect(field).toBeInViewport();
    }
  };
  await refuse({ title: ' ', body: '' }, { title: /Please fill this in/, body: /Please fill this in/ });
  await refuse({ url: 'http://example.com/', tags: 'news &&' }, { url: /starts with https/, tags: /Join tags only/ });
  await refuse({ users: 'x'.repeat(2_000), send_at: '2020-01-01T09:00' }, { users: /one user ID per line/, send_at: /in the future/ });
  await refuse({ ttl: '-1', topic: '!', max_per_minute: '0' }, { ttl: /whole number/, topic: /up to 32 letters/, max_per_minute: /whole number/ });
  await refuse({ button_1_url: 'https://example.com/', data: '[]' }, { button_1: /Give the button a text/, data: /JSON object/ });
  await page.context().close();

  // Blanks are something to a browser, so that the server has to say it here as well.
  const scripted = await openLoggedIn(browser, hato.url, session, { locale: 'en-GB' });
  const title = scripted.page.locator('#send-title');
  await scripted.page.goto(`${app.path}/send`);
  await title.fill('  ');
  await scripted.page.locator('#send-body').fill('Croissants');
  await scripted.page.locator('button[value=review]').click();
  await expect(title).toHaveAccessibleDescription(/Please fill this in/);
  await title.fill('Fresh');
  await expect(title).not.toHaveAttribute('aria-invalid');
  // A time is filled in and judged in the visitor's own zone.
  const time = scripted.page.locator('#send-send_at');
  await scripted.page.locator('details:has(#send-send_at) > summary').click();
  await time.fill('2020-01-01T09:00');
  await scripted.page.locator('button[value=review]').click();
  await expect(time).toHaveAccessibleDescription(/in the future/);
  await scripted.page.locator('.note.error a[href="#send-send_at"]').click();
  await expect(time).toBeInViewport();
  await time.fill('');
  await scripted.page.locator('button[value=review]').click();
  await expect(scripted.page.locator('.review')).toBeVisible();
  expect(scripted.consoleErrors).toEqual([]);
  await scripted.page.context().close();
});
