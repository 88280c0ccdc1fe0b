// What somebody keeps of an account that a password had opened before: from GitHub's login to the first call with a kept key.

import { expect, test } from '../support/dashboard-test.ts';
import { ApiApp, registerAccount } from '../support/api-app.ts';
import { openGuarded } from '../support/console-guard.ts';
import { variants } from '../support/variants.ts';

const expectedTexts = {
  ja: { title: '引き継いだアプリの確認', apps: 'アプリ' },
  en: { title: 'Review what was here before', apps: 'Apps' },
};

for (const { name, lang, locale, scripts } of variants) {
  test(`what was there before is kept and deleted ${name}`, async ({ browser, ownHato: hato, github }) => {
    const expected = expectedTexts[lang];
    const email = `${name.replaceAll(' ', '-')}@example.com`;
    const session = await registerAccount(hato, { email, password: 'correct horse' });
    const first = await ApiApp.create(hato, session, 'はとパン');
    const second = await ApiApp.create(hato, session, '知らない店');
    const { key: kept } = await first.createKey('注文サーバー', 'full');
    const { key: deleted } = await first.createKey('古いサーバー', 'full');
    await first.request('PATCH', '', { webhook_url: 'https://hooks.example.com/before' });
    const status = async (app: ApiApp, key: string) => (await hato.api('GET', `/api/v1/apps/${app.id}`, key)).status;

    github.email = email;
    github.site = hato.url;
    const options = { baseURL: hato.url, locale, javaScriptEnabled: scripts };
    const { page, consoleErrors } = await openGuarded(browser, options);
    await page.goto('/login');
    await page.locator('a[href="/auth/github"]').click();
    await expect(page).toHaveURL('/account/review');
    await expect(page.locator('h1')).toHaveText(expected.title);
    expect(await status(first, kept)).toBe(401);
    await page.goto(`${first.path}/keys`);
    await expect(page).toHaveURL('/account/review');

    // The browser sends nothing while something is undecided.
    await page.locator('#review button').click();
    await expect(page.locator('fieldset.decision')).toHaveCount(3);
    for (const [number, decision] of ['keep', 'delete', 'delete'].entries()) {
      await page.locator('fieldset.decision').nth(number).locator(`[value=${decision}]`).check();
    }
    await page.locator('#review button').click();
    await expect(page.locator('#review h2')).toHaveText('知らない店');
    expect([await status(first, kept), await status(first, deleted)]).toEqual([200, 401]);

    await page.locator('#reject summary').click();
    await page.locator('#reject details[open] button').click();
    await expect(page).toHaveURL('/apps');
    await expect(page.locator('h1')).toHaveText(expected.apps);
    await expect(page.locator('.app-card')).toHaveCount(1);
    await page.goto(`${second.path}`);
    await expect(page.locator('h1')).not.toHaveText('知らない店');
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });
}
