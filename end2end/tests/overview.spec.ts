// The overview of an app that has sent: its days, as many as somebody asks for.

import { ApiApp } from '../support/api-app.ts';
import { openLoggedIn } from '../support/console-guard.ts';
import { expect, test } from '../support/fixtures.ts';
import { variants } from '../support/variants.ts';

for (const { name, locale, scripts } of variants) {
  test(`the chart has 7, 30 or 90 days ${name}`, async ({ browser, hato, push }) => {
    const app = await ApiApp.create(hato, await hato.ownerSession(), 'はとパン');
    await app.subscribe(await push.subscribe(2));
    await app.waitForStatus(await app.send({ title: '焼きたてです', body: '本文' }), 'done');
    const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, { locale, javaScriptEnabled: scripts });
    const periods = page.locator('.periods a');
    await page.goto(app.path);
    await expect(page.locator('.chart .bars li')).toHaveCount(30);
    for (const [place, days] of [7, 30, 90].entries()) {
      await periods.nth(place).click();
      await expect(page.locator('.chart .bars li')).toHaveCount(days);
      await expect(page.locator('.periods [aria-current]')).toContainText(String(days));
      await expect(page.locator('.chart h2')).toContainText(String(days));
    }
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });
}
