// The page of an app's webhook and every form of it, with a real receiver: in both languages, and with scripts off.

import type { Locator, Page } from '@playwright/test';

import { expect, test } from '../support/dashboard-test.ts';
import { ApiApp, registerAccount } from '../support/api-app.ts';
import { variants } from '../support/variants.ts';
import { openLoggedIn } from '../support/console-guard.ts';
import { sign } from '../support/webhook-receiver.ts';

const expectedTexts = {
  ja: {
    saved: 'URL を保存しました',
    arrived: 'イベントが届きました（200）',
    rotated: '新しいシークレットを作りました',
    enabled: 'Webhook を再開しました',
    cleared: 'URL を消しました',
  },
  en: {
    saved: 'The URL was saved',
    arrived: 'The event arrived (200)',
    rotated: 'A new secret was created',
    enabled: 'The webhook is on',
    cleared: 'The URL was removed',
  },
};

/** The button of the form that posts to this server function. */
function button(page: Page, call: string): Locator {
  return page.locator(`form[action="/_app/${call}"] [type=submit]`);
}

/** Presses it, and waits for the page that follows. */
async function press(page: Page, call: string): Promise<void> {
  const followed = page.waitForEvent('load');
  await button(page, call).click();
  await followed;
}

/** Reloads the page until so many attempts are listed. */
async function waitForAttempts(page: Page, attempts: number): Promise<void> {
  const look = async () => {
    await page.reload();
    return page.locator('#attempts tbody tr').count();
  };
  await expect.poll(look, { intervals: [50] }).toBe(attempts);
}

/** Reveals the secret, which is not seen before. */
async function readSecret(page: Page): Promise<string> {
  const secret = page.locator('#webhook-secret');
  await expect(secret).toBeHidden();
  await page.locator('#secret summary').click();
  await expect(secret).toBeVisible();
  return secret.innerText();
}

for (const { name, lang, locale, scripts } of variants) {
  test(`the webhook's page and its forms ${name}`, async ({ browser, ownHato: hato, receiver }) => {
    const expected = expectedTexts[lang];
    const session = await registerAccount(hato, { email: 'owner@example.com', password: 'correct horse' });
    const { path } = await ApiApp.create(hato, session, 'はとパン');
    const { page, consoleErrors } = await openLoggedIn(browser, hato.url, session, { locale, javaScriptEnabled: scripts });
    const note = page.locator('.note.success');
    await page.goto(`${path}/webhook`);
    await expect(page.locator('#secret')).toHaveCount(0);
    await expect(page.locator('#attempts .empty')).toBeVisible();

    const url = receiver.url('/hook');
    await page.locator('#webhook-webhook_url').fill(url);
    await press(page, 'set_webhook');
    await expect(note).toContainText(expected.saved);
    await expect(page.locator('#webhook-webhook_url')).toHaveValue(url);
    const first = await readSecret(page);

    receiver.answer('/hook', 200, 'Thank you.');
    await press(page, 'send_test_event');
    const event = await receiver.next();
    expect(event.type).toBe('webhook.test');
    expect(event.signatures).toEqual([sign(first, event.signed)]);
    if (!scripts) await waitForAttempts(page, 1);
    // With scripts it comes by itself.
    await expect(note).toContainText(expected.arrived);
    await expect(page.locator('#attempts tbody tr')).toHaveCount(1);
    await expect(page.locator('#attempts .status')).toHaveText('200');
    await page.locator('#attempts summary').click();
    await expect(page.locator('#attempts details')).toContainText('Thank you.');
    await page.locator('#attempts details a').click();
    await expect(page.locator('#request-body')).toContainText('"webhook.test"');

    await page.goto(`${path}/webhook`);
    await page.locator('#attempts summary').click();
    await press(page, 'resend_event');
    expect((await receiver.next()).id).toBe(event.id);
    await waitForAttempts(page, 2);

    await press(page, 'rotate_webhook_secret');
    await expect(note).toContainText(expected.rotated);
    const second = await readSecret(page);
    await expect(page.locator('#previous-secret')).toHaveText(first);
    await press(page, 'send_test_event');
    const { signatures, signed } = await receiver.next();
    expect(signatures).toEqual([sign(second, signed), sign(first, signed)]);
    await waitForAttempts(page, 3);

    receiver.answer('/hook', 410);
    await press(page, 'send_test_event');
    await receiver.next();
    if (!scripts) await waitForAttempts(page, 4);
    await expect(page.locator('#attempts tbody tr')).toHaveCount(4);
    await expect(page.locator('#switch')).toContainText('410');
    await expect(button(page, 'send_test_event')).toHaveCount(0);
    await expect(button(page, 'resend_event')).toHaveCount(0);
    receiver.answer('/hook', 204);
    await press(page, 'enable_webhook');
    await expect(note).toContainText(expected.enabled);
    await expect(page.locator('#switch')).toHaveCount(0);
    await press(page, 'send_test_event');
    expect((await receiver.next()).type).toBe('webhook.test');

    await press(page, 'clear_webhook');
    await expect(note).toContainText(expected.cleared);
    await expect(page.locator('#webhook-webhook_url')).toHaveValue('');
    await expect(page.locator('#secret')).toHaveCount(0);
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });
}
