// The bell, as people with and without a mouse meet it, in a real Chromium.

import type { BrowserContext, Locator, Page } from '@playwright/test';

import { expect, test } from '../support/fixtures.ts';

/** Opens the bakery in a browser that can be notified, and counts what it asks the visitor. */
async function visitBell(context: BrowserContext, page: Page, address: string): Promise<Locator> {
  await context.grantPermissions(['notifications'], { origin: address });
  await page.addInitScript(() => {
    const ask = Notification.requestPermission.bind(Notification);
    Object.assign(globalThis, { asked: 0 });
    Notification.requestPermission = () => {
      (globalThis as any).asked += 1;
      return ask();
    };
  });
  await page.goto(address);
  return page.getByRole('button', { name: 'プッシュ通知' });
}

const asked = (page: Page) => page.evaluate(() => (globalThis as any).asked);
const note = (page: Page) => page.locator('hato-bell span');

test('it is a button that says what it is and how it stands', async ({ context, open, page }) => {
  const bell = await visitBell(context, page, (await open()).url);
  await expect(bell).toHaveAttribute('aria-pressed', 'false');
  await expect(bell).toHaveAttribute('aria-disabled', 'false');
  await expect(bell).toHaveAccessibleDescription('通知を受け取る');
  expect(await bell.evaluate((button) => button.getBoundingClientRect().width)).toBeGreaterThanOrEqual(44);
  // Nothing is spoken before somebody clicks.
  await expect(note(page)).not.toHaveAttribute('role', 'status');
  expect(await asked(page)).toBe(0);
});

test('it asks on a click, and only then', async ({ context, open, page }) => {
  const bell = await visitBell(context, page, (await open()).url);
  await bell.hover();
  await bell.focus();
  expect(await asked(page)).toBe(0);
  await page.evaluate(() => {
    hato.subscribe = () => Notification.requestPermission().then(() => Promise.reject({ code: 'NETWORK_ERROR' }));
  });
  await bell.click();
  await expect(note(page)).toHaveText('うまくいきませんでした。もう一度お試しください');
  await expect(note(page)).toHaveAttribute('role', 'status');
  await expect(bell).not.toHaveAttribute('aria-busy');
  expect(await asked(page)).toBe(1);
});

test('it says why a push service may not be reached', async ({ context, open, page }) => {
  const bell = await visitBell(context, page, (await open()).url);
  await page.evaluate(() => {
    hato.subscribe = () => Promise.reject(Object.assign(new Error(), { code: 'PUSH_UNREACHABLE' }));
  });
  await bell.click();
  await expect(note(page)).toHaveText(/プッシュサービスにつながりません.*ネットワーク.*プライベートウィンドウ/);
  await expect(note(page)).toHaveAttribute('role', 'status');
  await expect(bell).not.toHaveAttribute('aria-busy');
  await expect(bell).toHaveAttribute('aria-pressed', 'false');
});

test('it is used with the keyboard alone', async ({ context, open, page }) => {
  const bell = await visitBell(context, page, (await open()).url);
  await expect(bell).toBeVisible();
  await page.evaluate(() => {
    hato.subscribe = () => {
      document.body.dataset.subscribed = 'true';
      return Promise.resolve();
    };
  });
  await page.locator('#subscribe').focus();
  await page.keyboard.press('Tab');
  await expect(bell).toBeFocused();
  expect(await bell.evaluate((button) => getComputedStyle(button).outlineStyle)).toBe('solid');
  await expect(note(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(note(page)).toBeHidden();
  await page.keyboard.press('Enter');
  await expect(page.locator('body')).toHaveAttribute('data-subscribed', 'true');
  await expect(note(page)).toBeVisible();
});

test('its note stays under the pointer, and goes with Escape', async ({ context, open, page }) => {
  const bell = await visitBell(context, page, (await open()).url);
  await bell.hover();
  await expect(note(page)).toBeVisible();
  const [from, to] = [(await bell.boundingBox())!, (await note(page).boundingBox())!];
  await page.mouse.move(from.x + from.width / 2, from.y + 1);
  await page.mouse.move(from.x + from.width / 2, to.y + to.height / 2, { steps: 40 });
  await expect(note(page)).toBeVisible();
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe('body');
  await page.keyboard.press('Escape');
  await expect(note(page)).toBeHidden();

  await page.mouse.move(0, 0);
  // Escape elsewhere is none of its business.
  await page.keyboard.press('Escape');
  await bell.hover();
  await expect(note(page)).toBeVisible();
});

test('it says when the visitor has refused', async ({ open, page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(Notification, 'permission', { get: () => 'denied' });
  });
  await page.goto((await open()).url);
  await expect(page.locator('#state')).toHaveText('denied');
  const bell = page.getByRole('button', { name: 'プッシュ通知' });
  await expect(bell).toHaveAttribute('aria-disabled', 'true');
  await expect(bell).toHaveAccessibleDescription(/ブロックされています/);
  await bell.click({ force: true });
  await expect(note(page)).toBeVisible();
});

test('it says what an iPhone needs, and what an old browser cannot', async ({ browser, open }) => {
  const site = await open();
  const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Safari/604.1';
  for (const [userAgent, state, text] of [
    [iPhone, 'needs-install', /ホーム画面に追加/],
    [iPhone.replaceAll('17', '15'), 'unsupported', /受け取れません/],
    [undefined, 'unsupported', /受け取れません/],
  ] as const) {
    const context = await browser.newContext({ userAgent });
    await context.addInitScript((isPhone) => {
      Reflect.deleteProperty(window, 'PushManager');
      if (!isPhone) return;
      Object.defineProperty(navigator, 'standalone', { value: false });
      Object.defineProperty(navigator, 'maxTouchPoints', { value: 5 });
    }, userAgent !== undefined);
    const page = await context.newPage();
    await page.goto(site.url);
    await expect(page.locator('#state')).toHaveText(state);
    const bell = page.getByRole('button', { name: 'プッシュ通知' });
    await expect(bell).toHaveAttribute('aria-disabled', 'true');
    await expect(bell).toHaveAccessibleDescription(text);
    await context.close();
  }
});

test('it speaks the language of its place and wears its colours', async ({ context, open, page }) => {
  const consoleErrors: string[] = [];
  page.on('console', (message) => consoleErrors.push(message.text()));
  await visitBell(context, page, (await open()).url);
  await page.evaluate(() => {
    const bell = document.createElement('hato-bell');
    bell.lang = 'en-GB';
    bell.style.setProperty('--hato-bell-background', 'rgb(1, 2, 3)');
    bell.style.setProperty('--hato-bell-size', '100px');
    document.body.append(bell);
  });
  const bell = page.getByRole('button', { name: 'Push notifications' });
  await expect(bell).toHaveAccessibleDescription('Get notifications');
  const look = await bell.evaluate((button) => {
    const { backgroundColor, width } = getComputedStyle(button);
    return { backgroundColor, width };
  });
  expect(look).toEqual({ backgroundColor: 'rgb(1, 2, 3)', width: '100px' });
  // The site's policy forbids inline styles: the bell must not need them.
  expect(consoleErrors).toEqual([]);
});
