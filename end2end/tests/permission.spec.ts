// When the visitor is asked for permission, and when not, in a real Chromium.

import type { Page } from '@playwright/test';

import { init, siteFiles } from '../support/site-files.ts';
import { expect, test } from '../support/fixtures.ts';

/** Opens a page of a browser that has not been asked yet, and counts how often it is; the visitor refuses. */
async function visitUnasked(page: Page, address: string): Promise<void> {
  await page.addInitScript(() => {
    let permission: NotificationPermission = 'default';
    Object.defineProperty(Notification, 'permission', { get: () => permission });
    Object.assign(globalThis, { asked: 0 });
    Notification.requestPermission = async () => {
      (globalThis as any).asked += 1;
      permission = 'denied';
      return permission;
    };
  });
  await page.goto(address);
}

const asked = (page: Page) => page.evaluate(() => (globalThis as any).asked);

/** The code of the error with which subscribing fails, called by a click on the page's button. */
async function click(page: Page): Promise<string> {
  await page.evaluate(() => {
    const button = document.querySelector<HTMLButtonElement>('#subscribe')!;
    button.onclick = () => {
      hato.subscribe().catch(({ code }) => (document.body.dataset.code = code));
    };
  });
  await page.locator('#subscribe').click();
  await expect(page.locator('body')).toHaveAttribute('data-code');
  return page.evaluate(() => document.body.dataset.code!);
}

test('a click asks, once', async ({ open, page }) => {
  await visitUnasked(page, (await open()).url);
  await expect(page.locator('#state')).toHaveText('unsubscribed');
  expect(await asked(page)).toBe(0);
  expect(await click(page)).toBe('PERMISSION_DENIED');
  expect(await asked(page)).toBe(1);
  await expect(page.locator('#state')).toHaveText('denied');
});

test('nobody is asked without a click', async ({ open, page }) => {
  await visitUnasked(page, (await open()).url);
  await expect(page.locator('#state')).toHaveText('unsubscribed');
  const code = await page.evaluate(() => {
    // What a test evaluates counts as a click, which the window uses up.
    window.open('about:blank')?.close();
    return hato.subscribe().then(() => '', (error) => error.code);
  });
  expect(code).toBe('CLICK_REQUIRED');
  expect(await asked(page)).toBe(0);
});

test('nobody is asked by a page that has not called init', async ({ open, page, write }) => {
  const site = await open({ folder: await write(siteFiles('')) });
  await visitUnasked(page, site.url);
  expect(await click(page)).toBe('NOT_INITIALIZED');
  expect(await asked(page)).toBe(0);
});

test('nobody is asked for a server that cannot be reached', async ({ open, page, faultProxy, write }) => {
  faultProxy.fail('GET /api/v1/vapid-public-key', {});
  const site = await open({ folder: await write(siteFiles(init())), server: faultProxy });
  await visitUnasked(page, site.url);
  await expect(page.locator('#state')).toHaveText('unsubscribed');
  expect(await click(page)).toBe('NETWORK_ERROR');
  expect(await asked(page)).toBe(0);
});
