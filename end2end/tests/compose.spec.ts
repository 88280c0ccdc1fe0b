// Whom a notification is for and when it goes, as somebody fills it in: in both languages, in two browsers, and with scripts off.

import type { Page } from '@playwright/test';

import { ApiApp } from '../support/api-app.ts';
import { expect, test } from '../support/fixtures.ts';
import { openLoggedIn } from '../support/console-guard.ts';
import { openSession } from '../support/dashboard.ts';
import type { Hato } from '../support/hato.ts';
import type { PushService } from '../support/push-service.ts';
import { variants } from '../support/variants.ts';

const expectedTexts = {
  ja: {
    everybody: '有効な購読者 3 人に送ります。',
    some: '条件に合う購読者 2 人に送ります。',
    nobody: '条件に合う購読者はいません。',
    bad: '宛先の条件が正しくありません',
    question: '条件に合う購読者 2 人に、いますぐ送ります。',
    later: '予定の日時に、そのとき条件に合う購読者に送ります。いまは 2 人です。',
    skipped: '2027-03-28 03:30 とします',
    twice: '先に来るほう',
    calledOff: '予約を取り消しました',
  },
  en: {
    everybody: 'It will go to 3 active subscribers.',
    some: 'It will go to 2 active subscribers who match.',
    nobody: 'No active subscriber matches.',
    bad: 'That is not a valid condition',
    question: 'It goes to 2 active subscribers who match right away.',
    later: 'At that time it goes to those who match then: 2 active subscribers at the moment.',
    skipped: 'taken as 2027-03-28 03:30',
    twice: 'the first is taken',
    calledOff: 'The scheduled send is cancelled',
  },
};

/** An app with three subscribers, two of whom have the tag `news`. */
async function createApp(hato: Hato, push: PushService): Promise<ApiApp> {
  const app = await ApiApp.create(hato, await hato.ownerSession(), 'はとパン');
  const browsers = await push.subscribe(3);
  await app.subscribe(browsers);
  await app.identify(browsers[0]!, 'member-1', ['news', '_plan:pro']);
  await app.identify(browsers[1]!, 'member-2', ['news']);
  return app;
}

async function write(page: Page): Promise<void> {
  await page.locator('#send-title').fill('焼きたてです');
  await page.locator('#send-body').fill('クロワッサンが焼きあがりました。');
}

/** Tomorrow at nine in UTC. */
function tomorrow(): { field: string; shown: string } {
  const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  return { field: `${day}T09:00`, shown: `${day} 09:00` };
}

for (const { name, lang, locale, scripts, tag } of variants) {
  test(`a send to some, and one for later ${name}`, { tag }, async ({ browser, hato, push }) => {
    const expected = expectedTexts[lang];
    const app = await createApp(hato, push);
    const options = { locale, javaScriptEnabled: scripts, timezoneId: 'Asia/Tokyo' };
    const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, options);
    const count = page.locator('.recipient-count');
    await page.goto(`${app.path}/send`);
    await write(page);
    await expect(count).toHaveText(expected.everybody);
    await page.locator('#send-tags').fill('news');
    if (scripts) await expect(count).toHaveText(expected.some);
    await page.locator('button[value=review]').click();
    await expect(page.locator('.review .note')).toHaveText(expected.question);
    await expect(page.locator('.review .facts code')).toHaveText('news');
    await page.locator('button[value=edit]').click();
    await expect(page.locator('#send-tags')).toHaveValue('news');
    if (scripts) await expect(count).toHaveText(expected.some);

    const { field, shown } = tomorrow();
    await page.locator('details:has(#send-send_at) > summary').click();
    if (scripts) {
      await expect(page.locator('label[for=send-send_at]')).toContainText('(Asia/Tokyo)');
      await expect(page.locator('[name=send_at]')).toBeHidden();
      await page.locator('#send-send_at').fill(field);
      await expect(page.locator('#send-send_at-hint')).toHaveText(`= ${shown.replace('09:00', '00:00')} UTC`);
      await page.locator('#send-expires_at').fill(field.replace('09:00', '12:00'));
    } else {
      await expect(page.locator('label[for=send-send_at]')).toContainText('(UTC)');
      await page.locator('#send-send_at').fill(field);
      await page.locator('#send-expires_at').fill(field.replace('09:00', '12:00'));
    }
    await page.locator('#send-max_per_minute').fill('600');
    await page.locator('button[value=review]').click();
    await expect(page.locator('.review .note')).toContainText(expected.later);
    const time = page.locator('.facts time', { hasText: shown });
    await expect(time).toHaveText(scripts ? `${shown} (Asia/Tokyo)` : `${shown} UTC`);
    await page.locator('button[value=send]').click();
    await page.waitForURL('**/sends/snd_*');
    await expect(page.locator('.status')).toHaveClass(/scheduled/);
    await expect(time).toHaveText(scripts ? `${shown} (Asia/Tokyo)` : `${shown} UTC`);
    const send = await app.request('GET', `/notifications/${new URL(page.url()).pathname.split('/').at(-1)}`);
    expect(send.send_at).toBe(Date.parse(`${field}Z`) - (scripts ? 9 * 3_600_000 : 0));
    expect(send.expires_at - send.send_at).toBe(3 * 3_600_000);
    expect(send.max_per_minute).toBe(600);

    await page.goto(app.path);
    await page.locator('#coming a').click();
    await page.waitForURL('**/history?status=scheduled');
    await page.locator('table.sends .content a').click();
    await page.waitForURL('**/sends/snd_*');
    await page.locator('details.confirm > summary').click();
    await page.locator('details.confirm button.danger').click();
    await expect(page.locator('.note.success')).toContainText(expected.calledOff);
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });
}

test('only the last of many answers is shown, and what is no condition is said at once', async ({ browser, hato, push }) => {
  const app = await createApp(hato, push);
  const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, { locale: 'ja-JP' });
  const expected = expectedTexts.ja;
  const count = page.locator('.recipient-count');
  let asked = 0;
  page.on('request', (request) => (asked += Number(request.url().endsWith('/count_recipients'))));
  await page.goto(`${app.path}/send`);
  await page.locator('#send-tags').pressSequentially('news && !_plan:pro', { delay: 20 });
  await expect(count).toHaveText('条件に合う購読者 1 人に送ります。');
  expect(asked).toBeLessThan(4);
  await page.locator('#send-tags').fill('news &&');
  await expect(count).toContainText(expected.bad);
  await page.locator('#send-tags').fill('');
  await page.locator('#send-users').fill('stranger');
  await expect(count).toHaveText(expected.nobody);
  await page.locator('#send-users').fill('member-1\nmember-2\n');
  await expect(count).toHaveText(expected.some);
  await page.locator('#send-users').fill('');
  await expect(count).toHaveText(expected.everybody);
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

for (const lang of ['ja', 'en'] as const) {
  test(`times that clocks skip or repeat, in ${lang}`, async ({ browser, hato, push }) => {
    const expected = expectedTexts[lang];
    const app = await createApp(hato, push);
    const options = { locale: lang, timezoneId: 'Europe/Berlin' };
    const { page, consoleErrors } = await openLoggedIn(browser, hato.url, app.session, options);
    await page.goto(`${app.path}/send`);
    await page.locator('details:has(#send-send_at) > summary').click();
    const utc = page.locator('[name=send_at]');
    const hint = page.locator('#send-send_at-hint');
    for (const [local, stored, says] of [
      ['2027-03-28T01:30', '2027-03-28T00:30', '= 2027-03-28 00:30 UTC'],
      ['2027-03-28T02:30', '2027-03-28T01:30', expected.skipped],
      ['2027-03-28T03:30', '2027-03-28T01:30', '= 2027-03-28 01:30 UTC'],
      ['2027-10-31T02:30', '2027-10-31T00:30', expected.twice],
      ['2027-10-31T03:30', '2027-10-31T02:30', '= 2027-10-31 02:30 UTC'],
    ] as const) {
      await page.locator('#send-send_at').fill(local);
      await expect(hint).toContainText(says);
      await expect(utc).toHaveValue(stored);
    }
    await page.locator('#send-send_at').fill('');
    await expect(hint).toHaveText('');
    await expect(utc).toHaveValue('');
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });
}

test('Firefox counts and reckons the same', async ({ firefox, hato, push }) => {
  const app = await createApp(hato, push);
  const { page, consoleErrors } = await openSession(firefox, hato.url, app.session, `${app.path}/send`);
  await page.waitForSelector('[name=send_at][hidden]');
  await page.locator('#send-tags').fill('news');
  await page.waitForFunction((says) => document.querySelector('.recipient-count')?.textContent?.trim() === says, {}, expectedTexts.ja.some);
  const { field } = tomorrow();
  const [stored, asked] = await page.evaluate((field) => {
    const local = document.querySelector<HTMLInputElement>('#send-send_at')!;
    local.value = field;
    local.dispatchEvent(new Event('input', { bubbles: true }));
    return [document.querySelector<HTMLInputElement>('[name=send_at]')!.value, new Date(field).toISOString().slice(0, 16)];
  }, field);
  expect(stored).toBe(asked);
  expect(consoleErrors).toEqual([]);
  await page.browserContext().close();
});
