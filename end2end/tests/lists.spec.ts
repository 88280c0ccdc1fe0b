// What was sent and who subscribes, as somebody goes through the lists: searched, as files, one by one, and several at once.

import { readFile } from 'node:fs/promises';

import type { Page } from '@playwright/test';

import { ApiApp, registerAccount } from '../support/api-app.ts';
import { openLoggedIn } from '../support/console-guard.ts';
import { expect, test } from '../support/dashboard-test.ts';
import { variants } from '../support/variants.ts';

const DAY = 86_400_000;
const owner = { email: 'owner@example.com', password: 'correct horse' };

/** The lines of the file that the page's link to it leads to. */
async function download(page: Page): Promise<string[]> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.locator('a[href*=".csv"]').click()]);
  return (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
}

for (const { name, locale, scripts } of variants) {
  test(`the history is searched and taken along ${name}`, async ({ browser, ownHato: hato, push }) => {
    const app = await ApiApp.create(hato, await registerAccount(hato, owner), 'はとパン');
    await app.subscribe(await push.subscribe(1));
    for (const title of ['Croissants', '=HYPERLINK("x")', 'Baguettes']) {
      await app.waitForStatus(await app.send({ title, body: 'Fresh out of the oven.' }), 'done');
    }
    await app.send({ title: 'Later', body: 'Tomorrow.', send_at: Date.now() + 86_400_000 });
    const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, { locale, javaScriptEnabled: scripts });
    const titles = page.locator('table.sends .content a');
    await page.goto(`${app.path}/history`);
    await expect(titles).toHaveText(['Later', 'Baguettes', '=HYPERLINK("x")', 'Croissants']);
    const rows = await download(page);
    expect(rows).toHaveLength(5);
    // A spreadsheet would take it for a formula.
    expect(rows.some((row) => /(^|,)"?=/.test(row))).toBe(false);

    await page.locator('#search-q').fill('aguette');
    await page.locator('.search [type=submit]').click();
    await expect(titles).toHaveText(['Baguettes']);
    expect(await download(page)).toHaveLength(2);
    await page.locator('.search a').click();
    await page.locator('#filter-status').selectOption('scheduled');
    await page.locator('.search [type=submit]').click();
    await expect(titles).toHaveText(['Later']);
    await page.locator('.search a').click();
    await page.locator('#search-sender').fill('nobody');
    await page.locator('.search [type=submit]').click();
    await expect(page.locator('.empty')).toBeVisible();
    await page.locator('.search a').click();
    await page.locator('#search-from').fill('2020-01-01');
    await page.locator('#search-to').fill('2020-01-31');
    await page.locator('.search [type=submit]').click();
    await expect(page.locator('.empty')).toBeVisible();
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });

  test(`a day of the history is ${scripts ? 'the visitor’s own' : 'one of UTC'} ${name}`, async ({ browser, ownHato: hato, push }) => {
    const app = await ApiApp.create(hato, await registerAccount(hato, owner), 'はとパン');
    await app.subscribe(await push.subscribe(1));
    // Half an hour past midnight of UTC, when it is still the day before in New York.
    const due = (Math.floor(Date.now() / DAY) + 3) * DAY + DAY / 48;
    const [before, day] = [due - DAY, due].map((at) => new Date(at).toISOString().slice(0, 10)) as [string, string];
    await app.send({ title: 'Late', body: 'Good night.', send_at: due });
    const options = { locale, javaScriptEnabled: scripts, timezoneId: 'America/New_York' };
    const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, options);
    const search = async (date: string) => {
      for (const field of ['from', 'to']) await page.locator(`#search-${field}`).fill(date);
      await page.locator('.search [type=submit]').click();
      await expect(page.locator('#search-from')).toHaveValue(date);
    };
    const found = page.locator('table.sends .content a');
    const zones = page.locator('.search label span');
    const own = scripts ? 'America/New_York' : 'UTC';
    await page.goto(`${app.path}/history`);
    await expect(zones).toHaveText([own, own]);
    await search(scripts ? day : before);
    await expect(page.locator('.empty')).toBeVisible();
    await search(scripts ? before : day);
    await expect(found).toHaveText(['Late']);
    await expect(zones).toHaveText([own, own]);
    expect(await download(page)).toHaveLength(2);
    // A day of UTC to which a link leads stays one.
    await page.goto(`${app.path}/history?from=${day}&to=${day}`);
    await expect(zones).toHaveText(['UTC', 'UTC']);
    await page.locator('.search [type=submit]').click();
    await expect(found).toHaveText(['Late']);
    await expect(zones).toHaveText(['UTC', 'UTC']);
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });

  test(`a past send is written again ${name}`, async ({ browser, ownHato: hato, push }) => {
    const app = await ApiApp.create(hato, await registerAccount(hato, owner), 'はとパン');
    const body = '長い本文'.repeat(100);
    await app.send({ title: '誰にも', body, icon: 'https://example.com/icon.png', max_per_minute: 60 });
    await app.subscribe(await push.subscribe(1));
    const rich = { icon: 'https://example.com/icon.png', max_per_minute: 600, tag: 'bread' };
    await app.waitForStatus(await app.send({ title: '焼きたて', body, ...rich }), 'done');
    const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, { locale, javaScriptEnabled: scripts });
    await page.route('https://example.com/**', (route) => route.abort());
    const again = page.locator('table.sends .again');
    // Beside the one that pictures need https.
    const warning = page.locator('.note.warning:not(#send-pictures *)');
    await page.goto(`${app.path}/history`);
    await expect(again).toHaveCount(2);
    await again.first().click();
    await expect(page.locator('.note:not(.warning)')).toBeVisible();
    await expect(warning).toHaveCount(0);
    await expect(page.locator('#send-body')).toHaveValue(body);
    await expect(page.locator('#send-icon')).toHaveValue(rich.icon);
    await expect(page.locator('#send-tag')).toHaveValue(rich.tag);
    await expect(page.locator('#send-max_per_minute')).toHaveValue('600');

    // Of a send to nobody only the beginning is kept, and that is said.
    await page.goto(`${app.path}/history`);
    await again.last().click();
    await expect(warning).toBeVisible();
    expect(body.startsWith((await page.locator('#send-body').inputValue()).slice(0, 50))).toBe(true);
    await expect(page.locator('#send-max_per_minute')).toHaveValue('60');
    // The icon of the first copy cannot be loaded.
    expect(consoleErrors.filter((line) => !line.includes('net::ERR_FAILED'))).toEqual([]);
    await page.context().close();
  });

  test(`subscribers one by one and several at once ${name}`, async ({ browser, ownHato: hato, push }) => {
    const app = await ApiApp.create(hato, await registerAccount(hato, owner), 'はとパン');
    const browsers = await push.subscribe(4);
    await app.subscribe(browsers);
    await app.identify(browsers[0]!, 'member-1', ['news']);
    const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, { locale, javaScriptEnabled: scripts });
    const rows = page.locator('table.subscribers tbody tr');
    await page.goto(`${app.path}/subscribers`);
    expect(await download(page)).toHaveLength(5);
    // A mark for each browser and system that is known.
    const marks = page.locator('table.subscribers .device-icon use');
    await expect(marks).toHaveCount(6);
    const areDrawn = () => marks.evaluateAll((all) => all.every((it) => (it as SVGGraphicsElement).getBBox().width > 0));
    await expect.poll(areDrawn, { intervals: [20] }).toBe(true);
    await rows.filter({ hasText: 'member-1' }).locator('.endpoint a').click();
    await page.waitForURL('**/subscribers/sub_*');
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    await expect(page.locator('#subscriber-id')).toHaveText(id);
    await expect(page.locator('.facts')).toContainText('member-1');
    await page.locator('#test button').click();
    await page.waitForURL('**/sends/snd_*');
    const send = new URL(page.url()).pathname.split('/').at(-1)!;
    await app.waitForStatus(send, 'done');
    expect((await app.request('GET', `/notifications/${send}`)).recipients).toBe(1);
    expect(JSON.parse(await push.plaintext(browsers[0]!.endpoint)).title).toContain('Hato');

    await page.goto(`${app.path}/subscribers`);
    for (const row of [0, 1]) await rows.nth(row).locator('[type=checkbox]').check();
    const question = page.locator('details.confirm:has(#selection)');
    await question.locator('summary').click();
    await question.locator('button.danger').click();
    await expect(page.locator('.note.success')).toContainText('2');
    await expect(rows).toHaveCount(2);
    await rows.first().locator('.endpoint a').click();
    await page.locator('details.confirm > summary').click();
    await page.locator('details.confirm[open] button.danger').click();
    await expect(page.locator('.note.success')).toBeVisible();
    await expect(rows).toHaveCount(1);
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });
}
