// An app's pictures: uploaded, in the settings or while a notification is written, made its icon, chosen, and deleted.

import { join } from 'node:path';

import { ApiApp, registerAccount } from '../support/api-app.ts';
import { openLoggedIn } from '../support/console-guard.ts';
import { test as base, expect } from '../support/fixtures.ts';
import { Hato } from '../support/hato.ts';
import { variants } from '../support/variants.ts';

/** Pictures are offered where browsers come by https. */
const baseUrl = 'https://push.example.com';

/** A server that believes in it. */
const test = base.extend<{ secureHato: Hato }>({
  secureHato: async ({ push, database }, use) => {
    const hato = await Hato.start(push, { HATO_BASE_URL: baseUrl }, database);
    await use(hato);
    await hato.stop();
  },
});

const owner = { email: 'owner@example.com', password: 'correct horse' };
const picture = join(import.meta.dirname, '../../style/public/icon-192.png');

for (const { name, locale, scripts } of variants) {
  test(`a picture becomes the icon of a notification ${name}`, async ({ browser, secureHato: hato, push }) => {
    const app = await ApiApp.create(hato, await registerAccount(hato, owner), 'はとパン');
    const [subscriber] = await push.subscribe(1);
    await app.subscribe([subscriber!]);
    const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, { locale, javaScriptEnabled: scripts });
    // What notifications name is served here.
    await page.route(`${baseUrl}/**`, async (route) => {
      const path = new URL(route.request().url()).pathname;
      await route.fulfill({ response: await page.request.get(hato.url + path) });
    });
    const pictures = page.locator('ul.pictures li');
    await page.goto(`${app.path}/settings`);
    await page.locator('#pictures-picture').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
    await page.locator('#pictures form[enctype] button').click();
    await expect(page.locator('#pictures .note.error')).toBeVisible();
    for (const count of [1, 2]) {
      const file = count === 1 ? picture : join(picture, '../icon-512.png');
      await page.locator('#pictures-picture').setInputFiles(file);
      await page.locator('#pictures form[enctype] button').click();
      await expect(pictures).toHaveCount(count);
    }
    const address = (await pictures.last().locator('code').textContent())!;
    expect(address).toMatch(new RegExp(`^${baseUrl}/media/[0-9a-f]+`));
    expect(await pictures.last().locator('img').evaluate((it: HTMLImageElement) => it.decode().then(() => it.naturalWidth))).toBeGreaterThan(0);
    await pictures.last().locator('form[action="/_app/make_icon"] button').click();
    await expect(pictures.last().locator('form[action="/_app/make_icon"]')).toHaveCount(0);
    await pictures.first().locator('form[action="/_app/delete_picture"] button').click();
    await expect(pictures).toHaveCount(1);

    // New notifications begin with the icon, and the badge is chosen.
    await page.goto(`${app.path}/send`);
    await expect(page.locator(`[name=icon_choice][value="${address}"]`)).toBeChecked();
    await page.locator(`[name=badge_choice][value="${address}"]`).check();
    if (scripts) await expect(page.locator('.preview .notification > img')).toHaveAttribute('src', address);
    await page.locator('#send-title').fill('焼きたてです');
    await page.locator('#send-body').fill('クロワッサンが焼きあがりました。');
    await page.locator('button[value=review]').click();
    await expect(page.locator('.review .notification > img')).toHaveAttribute('src', address);
    await page.locator('button[value=send]').click();
    await page.waitForURL('**/sends/snd_*');
    await app.waitForStatus(new URL(page.url()).pathname.split('/').at(-1)!, 'done');
    expect(JSON.parse(await push.plaintext(subscriber!.endpoint))).toMatchObject({ icon: address, badge: address });
    // The browser reports the file that was refused.
    expect(consoleErrors.filter((line) => !line.includes('status of 400'))).toEqual([]);
    await page.context().close();
  });
}

for (const { name, locale, scripts } of variants) {
  test(`a picture is uploaded while a notification is written, which stays ${name}`, async ({ browser, secureHato: hato }) => {
    const app = await ApiApp.create(hato, await registerAccount(hato, owner), 'はとパン');
    const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, { locale, javaScriptEnabled: scripts });
    await page.route(`${baseUrl}/**`, async (route) => {
      const path = new URL(route.request().url()).pathname;
      await route.fulfill({ response: await page.request.get(hato.url + path) });
    });
    await page.goto(`${app.path}/send`);
    await page.locator('#send-title').fill('焼きたてです');
    await page.locator('#send-body').fill('一行目\n二行目');
    await page.locator('#send-tags').fill('news');
    await page.locator('#send-pictures > summary').click();
    for (const [file, outcome] of [
      [{ name: 'a.png', mimeType: 'image/png', buffer: Buffer.alloc(2_000_000) }, '.note.error'],
      [picture, '.note.success'],
    ] as const) {
      await page.locator('#send-picture').setInputFiles(file);
      await page.locator('#send-pictures button[formenctype]').click();
      await expect(page.locator(`#send-pictures ${outcome}`)).toBeVisible();
      await expect(page.locator('#send-title')).toHaveValue('焼きたてです');
      await expect(page.locator('#send-body')).toHaveValue('一行目\n二行目');
      await expect(page.locator('#send-tags')).toHaveValue('news');
    }
    const choices = page.locator('[name=icon_choice]:not([value=""])');
    await expect(choices).toHaveCount(1);
    await choices.check();
    const address = (await choices.getAttribute('value'))!;
    expect(address).toMatch(new RegExp(`^${baseUrl}/media/[0-9a-f]+`));

    // The Enter key goes on to the question, and uploads nothing.
    await page.locator('#send-title').press('Enter');
    await expect(page.locator('.review .notification > img')).toHaveAttribute('src', address);
    expect(consoleErrors.filter((line) => !line.includes('status of 413'))).toEqual([]);
    await page.unrouteAll({ behavior: 'wait' });
    await page.context().close();
  });
}
