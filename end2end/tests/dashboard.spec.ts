// Every page and every form of the dashboard, as its user goes through them: in both languages, and with scripts off.

import type { Page } from '@playwright/test';

import { ApiApp } from '../support/api-app.ts';
import { expect, test } from '../support/dashboard-test.ts';
import { variants } from '../support/variants.ts';
import { openGuarded, openLoggedIn } from '../support/console-guard.ts';

const password = 'correct horse';

/** What is said in each language. */
const expectedTexts = {
  ja: {
    sections: ['概要', '通知を送る', '送信履歴', '購読者', '届く範囲', '埋め込み', /^API ?キー$/, '不達', 'Webhook', '設定'],
    question: 'この内容で送りますか？',
    audience: '有効な購読者 1 人に、いますぐ送ります。',
    sender: '通知を許可したサイト',
    done: '完了',
    changed: 'パスワードを変更しました',
    removed: '購読者を削除しました',
    keyDeleted: 'キーを削除しました',
    renamed: '名前を変更しました',
    appDeleted: 'アプリを削除しました',
    lost: 'この便は宛先不明です',
    missing: '必須項目が入力されていません',
  },
  en: {
    sections: ['Overview', 'Send', 'History', 'Subscribers', 'Reach', 'Embed', 'API keys', 'Undelivered', 'Webhook', 'Settings'],
    question: 'Send this notification?',
    audience: 'It goes to 1 active subscriber right away.',
    sender: 'Your site',
    done: 'Done',
    changed: 'Your password was changed',
    removed: 'The subscriber was removed',
    keyDeleted: 'The key was deleted',
    renamed: 'The app was renamed',
    appDeleted: 'The app was deleted',
    lost: 'Return to sender',
    missing: 'A required field is empty',
  },
};

/** Opens the question in `row` and answers it with its button. */
async function confirm(page: Page, row: string): Promise<void> {
  await page.locator(`${row} details.confirm > summary`).first().click();
  await page.locator(`${row} details.confirm[open] button.danger`).click();
}

for (const { name, lang, locale, scripts, tag } of variants) {
  test(`every page and form ${name}`, { tag }, async ({ browser, ownHato: hato, push }) => {
    const expected = expectedTexts[lang];
    const { page, consoleErrors } = await openGuarded(browser, { baseURL: hato.url, locale, javaScriptEnabled: scripts });
    const email = `${name.replaceAll(' ', '-')}@example.com`;

    await page.goto('/');
    await expect(page.locator('html')).toHaveAttribute('lang', lang);
    await page.goto('/pricing');
    await page.goto('/docs/api');
    await expect(page.locator('h2').first()).toBeVisible();
    await page.goto('/register');
    await page.locator('#register [name=email]').fill(email);
    await page.locator('#register [name=password]').fill(password);
    await page.locator('#register [type=submit]').click();
    await page.waitForURL('**/apps');
    for (const chosen of [lang === 'ja' ? 'en' : 'ja', lang]) {
      await page.locator(`.switch [lang=${chosen}]`).click();
      await expect(page.locator('html')).toHaveAttribute('lang', chosen);
      expect(new URL(page.url()).pathname).toBe('/apps');
    }

    await page.locator('#create [name=name]').fill(' ');
    await page.locator('#create [type=submit]').click();
    await expect(page.locator('#create .note.error')).toContainText(expected.missing);
    await page.locator('#create [name=name]').fill('はとパン');
    await page.locator('#create [type=submit]').click();
    await page.waitForURL('**/apps/app_*');
    const app = new URL(page.url()).pathname;
    await expect(page.locator('h1')).toHaveText('はとパン');
    await expect(page.locator('.sections a')).toHaveText(expected.sections);
    await expect(page.locator('.checklist li.open')).toHaveCount(3);

    await page.locator('.checklist a').last().click();
    await page.locator('form[action="/_app/create_embed_key"] button').click();
    await expect(page.locator('#embed-page')).toContainText(/appKey: "pk_[0-9a-f]{64}"/);
    await page.reload();
    await expect(page.locator('#embed-page')).toContainText('pk_…');
    await page.goto(app);
    await expect(page.locator('.checklist li.open')).toHaveCount(2);

    await page.goto(`${app}/keys`);
    await page.locator('#create [name=name]').fill('サーバー');
    await page.locator('#create [value=full]').check();
    await page.locator('#create [type=submit]').click();
    const key = await page.locator('#raw-key').innerText();
    await expect(page.locator('table.keys tbody tr')).toHaveCount(2);
    const [subscription] = await push.subscribe(1);
    const registered = await hato.api('POST', '/api/v1/subscriptions', key, { ...subscription, platform: 'テスト' });
    expect(registered.status).toBe(201);
    await page.goto(`${app}/keys`);
    await confirm(page, 'table.keys tbody tr:last-child');
    await expect(page.locator('.note.success')).toContainText(expected.keyDeleted);
    await page.goto(`${app}/keys/history`);
    await expect(page.locator('table.events tbody tr')).toHaveCount(3);

    await page.goto(`${app}/send`);
    await page.locator('#send-title').fill('焼きたてです');
    await page.locator('#send-body').fill('クロワッサンが\n焼きあがりました。');
    await page.locator('#send-url').fill('https://example.com/');
    if (scripts) {
      await expect(page.locator('.preview .notification b')).toHaveText('焼きたてです');
      await expect(page.locator('.preview .notification-site')).toHaveText(expected.sender);
      await expect(page.locator('.size output')).toContainText('/ 3,072');
    }
    await page.locator('button[value=review]').click();
    await expect(page.locator('h1')).toHaveText(expected.question);
    await expect(page.locator('.note')).toHaveText(expected.audience);
    await page.locator('button[value=edit]').click();
    await expect(page.locator('#send-title')).toHaveValue('焼きたてです');
    await page.locator('button[value=review]').click();
    await page.locator('button[value=send]').click();
    await page.waitForURL('**/sends/snd_*');
    if (!scripts) {
      const send = new URL(page.url()).pathname.split('/').at(-1);
      const session = (await page.context().cookies()).find((it) => it.name === 'hato_session')!.value;
      const status = async () =>
        (await hato.api('GET', `/api/v1${app}/notifications/${send}`, session)).json.status;
      await expect.poll(status, { intervals: [50] }).toBe('done');
      await page.reload();
    }
    await expect(page.locator('.progress .status')).toHaveText(expected.done);
    await expect(page.locator('.percent b')).toHaveText('100%');
    await expect(page.locator('.counts .sent dd')).toHaveText('1');

    await page.goto(`${app}/history`);
    await page.locator('table.sends .content a').click();
    await page.waitForURL('**/sends/snd_*');
    await page.goto(app);
    await expect(page.locator('.checklist')).toHaveCount(0);
    await expect(page.locator('.chart .bars')).toBeVisible();
    await expectTooltips(page);

    await page.goto(`${app}/subscribers`);
    await page.locator('#search-q').fill('テスト');
    await page.locator('.search button').click();
    await expect(page.locator('table.subscribers tbody tr')).toHaveCount(1);
    await confirm(page, 'table.subscribers tr');
    await expect(page.locator('.note.success')).toContainText(expected.removed);

    await page.goto(`${app}/dead-letters`);
    await expect(page.locator('.empty')).toBeVisible();
    await page.goto(`${app}/settings`);
    await page.locator('#rename-name').fill('はとパン本店');
    await page.locator('#rename [type=submit]').click();
    await expect(page.locator('.note.success')).toContainText(expected.renamed);

    await page.goto('/account');
    await page.locator('#password-current').fill(password);
    await page.locator('#password-new').fill('another horse');
    await page.locator('#password [type=submit]').click();
    await expect(page.locator('.note.success')).toContainText(expected.changed);
    await expect(page.locator('ul.sessions li')).toHaveCount(1);
    await page.locator('form[action="/_app/logout_everywhere"] button').click();
    await page.waitForURL('**/login');
    await page.goto('/account');
    await page.waitForURL('**/login?next=*');
    await page.locator('#login [name=email]').fill(email);
    await page.locator('#login [name=password]').fill('another horse');
    await page.locator('#login [type=submit]').click();
    await page.waitForURL('**/account');
    await page.locator('form.log-out button').click();
    await page.waitForURL(`${hato.url}/`);
    await page.goto('/login');
    await page.locator('#login [name=email]').fill(email);
    await page.locator('#login [name=password]').fill('another horse');
    await page.locator('#login [type=submit]').click();
    await page.waitForURL('**/apps');

    await page.goto(`${app}/settings`);
    await page.locator('#delete details > summary').click();
    await page.locator('#delete-name').fill('はとパン本店');
    await page.locator('#delete button.danger').click();
    await page.waitForURL('**/apps?done=delete');
    await expect(page.locator('.note.success')).toContainText(expected.appDeleted);
    await page.goto('/account');
    await page.locator('#delete details > summary').click();
    await page.locator('#delete-confirmation').fill('another horse');
    await page.locator('#delete button.danger').click();
    await page.waitForURL(`${hato.url}/`);

    await page.goto(app);
    await page.waitForURL('**/login?next=*');
    await page.goto('/no/such/page');
    await expect(page.locator('h1')).toHaveText(expected.lost);
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });
}

test('the question and the page of a send show the whole notification', async ({ browser, hato, push }) => {
  const session = await hato.ownerSession();
  const app = await ApiApp.create(hato, session, 'はとパン');
  // Of a send to nobody only the beginning is kept.
  await app.subscribe(await push.subscribe(1));
  const { page } = await openLoggedIn(browser, hato.url, session, { locale: 'ja-JP' });
  const texts = { title: '長い見出し'.repeat(20), body: `${'一行\n'.repeat(30)}${'x'.repeat(300)}最後` };
  const expectWhole = async (place: string) => {
    for (const [part, text] of [['b', texts.title], ['p', texts.body]] as const) {
      const shown = page.locator(`${place} ${part}:not(.hint)`);
      expect(await shown.textContent()).toBe(text);
      const cut = await shown.evaluate(({ scrollHeight, clientHeight, scrollWidth, clientWidth }) => [
        scrollHeight - clientHeight,
        scrollWidth - clientWidth,
      ]);
      expect(cut, `${place} ${part}`).toEqual([0, 0]);
    }
  };
  await page.goto(`${app.path}/send`);
  await page.locator('#send-title').fill(texts.title);
  await page.locator('#send-body').fill(texts.body);
  await page.locator('button[value=review]').click();
  await expect(page.locator('.review')).toBeVisible();
  await expectWhole('.review .whole-text >');
  await page.locator('button[value=send]').click();
  await page.waitForURL('**/sends/snd_*');
  await expectWhole('.send-details .notification-text >');
  await page.context().close();
});

test('the keyboard alone suffices from sign-up to send', async ({ browser, ownHato: hato }) => {
  const { page, consoleErrors } = await openGuarded(browser, { baseURL: hato.url, locale: 'ja-JP' });
  /** Goes on to the element with Tab, as often as it takes; there the browser shows where one is. */
  const reach = async (selector: string) => {
    for (let steps = 0; steps < 60; steps += 1) {
      await page.keyboard.press('Tab');
      if (await page.locator(selector).first().evaluate((element) => element.matches(':focus-visible'))) return;
    }
    throw new Error(`${selector} is not reached`);
  };
  await page.goto('/');
  await reach('.hero a[href="/register"]');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/register');
  await reach('#register [name=email]');
  await page.keyboard.type('keyboard@example.com');
  await reach('#register [name=password]');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/apps');
  await reach('#create [name=name]');
  await page.keyboard.type('keyboard');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/apps/app_*');
  await reach('.sections a[href$="/send"]');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/send');
  await reach('#send-title');
  await page.keyboard.type('Tap tap');
  await reach('#send-body');
  await page.keyboard.type('No mouse was moved.');
  await reach('button[value=review]');
  await page.keyboard.press('Enter');
  await page.locator('button[value=send]').waitFor();
  await reach('button[value=send]');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/sends/snd_*');
  await expect(page.locator('.send-details')).toContainText('Tap tap');
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

test('what the user forgets is asked for, and a limit is explained', async ({ browser, ownHato: hato }) => {
  const session = (await hato.api('POST', '/auth/register', undefined, { email: 'limits@example.com', password })).json
    .session_token;
  const { appId } = (await hato.api('POST', '/api/v1/apps', session, { name: 'limits' })).json;
  const { page, consoleErrors } = await openGuarded(browser, { baseURL: hato.url, locale: 'ja-JP' });
  await page.context().addCookies([{ name: 'hato_session', value: session, url: hato.url }]);
  await page.goto(`/apps/${appId}/send`);
  await page.locator('#send-title').fill('大きすぎる');
  await page.locator('#send-body').fill('鳩'.repeat(1_200));
  await expect(page.locator('.size')).toHaveClass(/over/);
  await page.locator('button[value=review]').click();
  await expect(page.locator('.note.error')).toContainText('3,072');
  await expect(page.locator('#send-title')).toHaveValue('大きすぎる');
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

/** The numbers of a day of the chart are seen by pointer and keyboard, and lead to its history. */
async function expectTooltips(page: Page): Promise<void> {
  const today = page.locator('.bars li').last();
  const tip = today.locator('.tip');
  await expect(tip).toHaveCSS('opacity', '0');
  await today.locator('a').hover();
  await expect(tip).toHaveCSS('opacity', '1');
  await page.locator('.chart h2').hover();
  await expect(tip).toHaveCSS('opacity', '0');
  await page.locator('.bars li').nth(-2).locator('a').focus();
  await page.keyboard.press('Tab');
  await expect(today.locator('a')).toBeFocused();
  await expect(tip).toHaveCSS('opacity', '1');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/history?from=*');
  await expect(page.locator('table.sends tbody tr')).toHaveCount(1);
  await page.goBack();
}
