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

for (const timeZone of ['Asia/Tokyo', 'Pacific/Honolulu', 'Europe/Berlin']) {
  test(`the days of the chart are those of a visitor in ${timeZone}`, async ({ browser, hato, push }) => {
    const app = await ApiApp.create(hato, await hato.ownerSession(), 'はとパン');
    await app.subscribe(await push.subscribe(2));
    const date = (at: number) => new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at);
    const before = date(Date.now());
    await app.waitForStatus(await app.send({ title: '焼きたてです', body: '本文' }), 'done');
    const options = { locale: 'en-GB', timezoneId: timeZone };
    const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, options);
    // The page tells of the visitor's clock, and soon has its days.
    await page.goto(app.path);
    await expect(page.locator('#chart time')).toHaveCount(0);
    const last = page.locator('.chart .bars li').last();
    await expect(last).toContainText(/^\s*\d{4}-\d\d-\d\d: /);
    const today = (await last.locator('.tip').textContent())!.slice(0, 'YYYY-MM-DD'.length);
    expect([before, date(Date.now())]).toContain(today);
    const sent = page.locator('.chart .bars li', { hasText: '2 sent' }).last();
    await expect(sent).toContainText(before);
    await sent.locator('a').click();
    await expect(page.locator('table.sends .content a')).toContainText(['焼きたてです']);
    await expect(page.locator('#search-from')).toHaveValue(before);
    await expect(page.locator('.search label span')).toHaveText([timeZone, timeZone]);
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });
}

test('a browser tells anew of a clock that is not as it was told', async ({ browser, hato }) => {
  const { page, consoleErrors } = await openLoggedIn(browser, hato.url, await hato.ownerSession(), { timezoneId: 'Europe/Berlin' });
  const cookies = () => page.context().cookies(hato.url);
  for (const [now, told] of [
    ['2026-07-15T12:00:00Z', '120'],
    ['2026-12-01T12:00:00Z', '120:29881500:60'],
    ['2026-04-20T12:00:00Z', '60:29579100:120'],
  ] as const) {
    await page.clock.setFixedTime(now);
    await page.goto('/account');
    const offsets = (await cookies()).find(({ name }) => name === 'hato_offsets');
    expect(offsets?.value).toBe(told);
    // In seconds; a page that stays open for long has its days as well.
    expect(offsets!.expires - Date.now() / 1_000).toBeGreaterThan(390 * 86_400);
  }
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});
