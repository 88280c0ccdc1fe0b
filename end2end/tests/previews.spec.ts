// A notification as each system draws it: what is cut off, what is left out, and all of the text below.

import type { Locator, Page } from '@playwright/test';

import { ApiApp } from '../support/api-app.ts';
import { expect, test } from '../support/fixtures.ts';
import { openLoggedIn } from '../support/console-guard.ts';

const ICON = 'https://icons.example/icon.png';
const BADGE = 'https://icons.example/badge.png';
const PICTURE = 'https://icons.example/picture.png';
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const TEXTS = { title: '長い見出し'.repeat(20), body: '焼きたてのクロワッサン。'.repeat(40) };

/** Lines of title and text, whether icon, badge and large picture are shown, and of three buttons how many. */
const SYSTEMS = [
  { name: 'windows', title: 2, body: 4, icon: true, badge: false, picture: true, buttons: 2, says: 'ボタンは 2 つまで' },
  { name: 'macos', title: 1, body: 2, icon: true, badge: false, picture: false, buttons: 2, says: 'macOS の Chrome' },
  { name: 'android', title: 1, body: 1, icon: true, badge: true, picture: true, buttons: 2, says: 'Android の Chrome' },
  { name: 'ios', title: 1, body: 4, icon: false, badge: false, picture: false, buttons: 0, says: 'ホーム画面' },
];

/** Lines of a text that one sees. */
async function lines(text: Locator): Promise<number> {
  return text.evaluate((it) => Math.round(it.clientHeight / parseFloat(getComputedStyle(it).lineHeight)));
}

/** Goes through the tabs with the arrow keys. */
async function expectSystems(page: Page): Promise<void> {
  const preview = page.locator('.preview-tabs .notification');
  await page.locator('#preview-windows').focus();
  for (const { name, title, body, icon, badge, picture, buttons, says } of SYSTEMS) {
    await expect(page.locator(`#preview-${name}`)).toBeChecked();
    expect(await lines(preview.locator('b')), name).toBe(title);
    expect(await lines(preview.locator('.notification-text p')), name).toBe(body);
    await expect(preview.locator('> img')).toBeVisible({ visible: icon });
    await expect(preview.locator('.notification-app img')).toBeVisible({ visible: badge });
    await expect(preview.locator('.notification-extras img')).toBeVisible({ visible: picture });
    await expect(preview.locator('.notification-buttons span:visible')).toHaveCount(buttons);
    await expect(preview.locator('.notification-site')).toBeVisible();
    const notes = page.locator('.preview-tabs .of-system:visible');
    await expect(notes).toHaveCount(1);
    await expect(notes).toContainText(says);
    await page.keyboard.press('ArrowRight');
  }
  await expect(page.locator('#preview-windows')).toBeChecked();
  await expect(page.locator('.whole-text b')).toHaveText(TEXTS.title);
  await expect(page.locator('.whole-text p:not(.hint)')).toHaveText(TEXTS.body);
}

/** In which direction title and text are set, in the preview and below it. */
function directions(page: Page): Promise<string[]> {
  const texts = page.locator('.notification-text > *, .whole-text > :not(.hint)');
  return texts.evaluateAll((all) => all.map((it) => getComputedStyle(it).direction));
}

test('title and text are each set in the direction of their own letters', async ({ browser, hato, push }) => {
  const app = await ApiApp.create(hato, await hato.ownerSession(), 'はとパン');
  await app.subscribe(await push.subscribe(1));
  const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, { locale: 'ja-JP' });
  await page.goto(`${app.path}/send`);
  await page.locator('#send-title').fill('שלום עולם');
  await page.locator('#send-body').fill('Hello, world');
  await expect(page.locator('.whole-text b')).toHaveText('שלום עולם');
  expect(await directions(page)).toEqual(['rtl', 'ltr', 'rtl', 'ltr']);
  await page.locator('button[value=review]').click();
  await expect(page.locator('.review')).toBeVisible();
  expect(await directions(page)).toEqual(['rtl', 'ltr', 'rtl', 'ltr']);
  await page.locator('button[value=send]').click();
  await expect(page.locator('.send-details')).toBeVisible();
  expect(await directions(page)).toEqual(['rtl', 'ltr']);
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

for (const scripts of [true, false]) {
  test(`each system's preview, with scripts ${scripts ? 'on' : 'off'}`, async ({ browser, hato }) => {
    const app = await ApiApp.create(hato, await hato.ownerSession(), 'はとパン');
    const options = { locale: 'ja-JP', javaScriptEnabled: scripts };
    const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, options);
    await page.route('https://icons.example/**', (route) => route.fulfill({ contentType: 'image/png', body: PIXEL }));
    await page.goto(`${app.path}/send`);
    await page.locator('#send-title').fill(TEXTS.title);
    await page.locator('#send-body').fill(TEXTS.body);
    await page.locator('details:has(#send-icon) > summary').click();
    await page.locator('#send-icon').fill(ICON);
    await page.locator('#send-badge').fill(BADGE);
    await page.locator('details:has(#send-image) > summary').click();
    await page.locator('#send-image').fill(PICTURE);
    for (const number of [1, 2, 3]) await page.locator(`#send-button_${number}`).fill(`ボタン ${number}`);
    await page.locator('#send-title').click();
    if (scripts) {
      await expect(page.locator('.preview-tabs .notification-buttons span')).toHaveText(['ボタン 1', 'ボタン 2']);
      await expect(page.locator('.preview-tabs .notification > img')).toHaveAttribute('src', ICON);
      await expectSystems(page);
    }
    await page.locator('button[value=review]').click();
    await expect(page.locator('.review')).toBeVisible();
    await expectSystems(page);
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });
}
