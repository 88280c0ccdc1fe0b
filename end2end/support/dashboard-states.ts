// Three accounts whose apps, sends and webhooks put every page of the dashboard into each of its states.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { type Page, expect } from '@playwright/test';

import type { Github } from './github.ts';
import type { Hato } from './hato.ts';
import type { PushService, Subscriber } from './push-service.ts';
import { ApiApp, registerAccount } from './api-app.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

const owner = { email: 'owner@example.com', password: 'correct horse' };
/** An account that went back to the Free plan and kept more than it allows. */
const downgradedOwner = { email: 'saver@example.com', password: 'correct horse' };
/** An account that somebody with its address takes over. */
const formerOwner = { email: 'former@example.com', password: 'correct horse' };
const closing = { title: '本日の営業について', body: '大雪のため、本日は15時に閉店いたします。ご了承ください。' };
const note = { title: 'A little note', body: 'Our English menu is online.', url: 'https://example.com/en/menu' };
const reserve = {
  title: '明日の予約を受け付け中',
  body: '食パンとバゲットは、前日の20時までご予約いただけます。',
  url: 'https://example.com/reserve',
};
const notification = { title: '焼きたてです', body: 'クロワッサンが焼きあがりました。', url: 'https://example.com/croissant' };

/**
 * Writes a month of counts and of subscribers who came and went, by day and at noon of each, a month's usage near the limit and a scheduled send that was refused into the database, since a test
 * cannot wait for them. Arguments: the database, the app's id, the email of the account whose usage it is, the id of the send.
 */
const pastTraffic = `
import sqlite3, sys, time
database = sqlite3.connect(sys.argv[1])
today = int(time.time() // 86400)
for ago in range(1, 30):
    sent = (1 + (29 - ago) * 7 + (ago * ago * 37) % 190) * (0 if ago % 9 == 4 else 1)
    failed = sent * ((ago * 13) % 11) // 60
    gained, lost = (1 if ago % 4 == 1 else 0, 1 if ago % 13 == 5 else 0)
    app, day = (sys.argv[2], today - ago)
    noon = day * 96 + 48
    database.execute(
        "INSERT INTO daily_counts (app_id, day, sends, sent, failed) VALUES (?, ?, ?, ?, ?)",
        (app, day, 1 if sent else 0, sent, failed),
    )
    database.execute(
        "INSERT INTO recent_counts (app_id, quarter, sent, failed, displayed, clicked, dismissed) VALUES (?, ?, ?, ?, 0, 0, 0)",
        (app, noon, sent, failed),
    )
    database.execute("INSERT INTO daily_subscribers (app_id, day, gained, lost) VALUES (?, ?, ?, ?)", (app, day, gained, lost))
    database.execute("INSERT INTO recent_subscribers (app_id, quarter, gained, lost) VALUES (?, ?, ?, ?)", (app, noon, gained, lost))
database.execute(
    "UPDATE monthly_usage SET recipients = 26500 WHERE account_id = (SELECT id FROM accounts WHERE email = ?)",
    (sys.argv[3],),
)
database.execute(
    "UPDATE sends SET waits_until = NULL, audience = NULL, status = 'done', finished_at = send_at,"
    " refused_reason = 'MONTHLY_LIMIT_EXCEEDED' WHERE id = ?",
    (sys.argv[4],),
)
database.commit()
`;

/** A page in one of its states. */
export interface PageState {
  name: string;
  path: string;
  /** The session with which it is opened; a visitor's page has none. */
  session?: string;
  /** Brings the opened page into its state. */
  prepare?: (page: Page) => Promise<void>;
  /** The selector of an element that only this state shows. */
  shows?: string;
}

/** The paths of the apps. */
interface Apps {
  app: string;
  empty: string;
  workshop: string;
  off: string;
  withWebhook: string;
  withoutWebhook: string;
}

/** The ids of sends by their state, of an event of the first one, and of a subscriber. */
interface Traffic {
  done: string;
  running: string;
  cancelled: string;
  scheduled: string;
  calledOff: string;
  refused: string;
  toSome: string;
  toNobody: string;
  event: string;
  subscriber: string;
}

export class DashboardStates {
  private constructor(
    readonly session: string,
    private readonly downgradedSession: string,
    private readonly reviewSession: string,
    private readonly refs: Apps & Traffic,
  ) {}

  static async create(hato: Hato, push: PushService, receiver: WebhookReceiver, github: Github): Promise<DashboardStates> {
    const session = await registerAccount(hato, owner);
    const downgradedSession = await registerAccount(hato, downgradedOwner);
    const app = await ApiApp.create(hato, session, 'はとパン');
    const empty = await ApiApp.create(hato, session, '準備中のサイト');
    const workshop = await ApiApp.create(hato, session, '試作');
    const off = await ApiApp.create(hato, session, '閉店した支店');
    const withWebhook = await ApiApp.create(hato, downgradedSession, '二号店');
    const withoutWebhook = await ApiApp.create(hato, downgradedSession, '三号店');
    const traffic = { ...(await createTraffic(app, push, receiver)), toNobody: await workshop.send(closing) };
    receiver.answer('/gone', 410, 'Gone');
    await triggerWebhook(off, push, receiver.url('/gone'));
    await triggerWebhook(withWebhook, push, receiver.url('/hook'));
    await expect.poll(async () => (await off.request('GET', '/webhook')).disabled_reason, { intervals: [50] }).toBe('gone');
    await hato.setPlan(downgradedOwner.email, 'free');
    await hato.makeOperator(owner.email);
    await execute('python3', ['-c', pastTraffic, join(hato.data, 'hato.db'), app.id, downgradedOwner.email, traffic.refused]);
    await createFormerApp(hato, push, receiver);
    const reviewSession = await github.logIn(hato, formerOwner.email);
    const paths = { app: app.path, empty: empty.path, workshop: workshop.path, off: off.path, withWebhook: withWebhook.path, withoutWebhook: withoutWebhook.path };
    return new DashboardStates(session, downgradedSession, reviewSession, { ...paths, ...traffic });
  }

  /** Every page in every state. */
  get all(): PageState[] {
    const { session, downgradedSession, reviewSession, refs } = this;
    const withSession = (session: string, states: PageState[]) => states.map((state) => ({ session, ...state }));
    return [...signedOutStates, ...withSession(session, accountStates), ...withSession(session, this.appStates), ...withSession(downgradedSession, freePlanStates(refs.withWebhook, refs.withoutWebhook)), ...withSession(reviewSession, reviewStates)];
  }

  /** The state of this name. */
  get(name: string): PageState {
    const found = this.all.find((state) => state.name === name);
    if (!found) throw new Error(`no state is called ${name}`);
    return found;
  }

  /** The owner's apps. */
  private get appStates(): PageState[] {
    const { refs } = this;
    const { app, empty, workshop } = refs;
    return [
      { name: 'overview', path: app },
      { name: 'embed', path: `${app}/embed` },
      { name: 'embed-new-key', path: `${workshop}/embed`, prepare: makeEmbedKey, shows: '#embed-page:has-text("pk_")' },
      { name: 'compose', path: `${app}/send` },
      { name: 'compose-question', path: `${app}/send`, prepare: review, shows: 'form.review .note' },
      { name: 'compose-question-nobody', path: `${empty}/send`, prepare: review, shows: 'form.review .note' },
      { name: 'compose-to', path: `${app}/send`, prepare: writeToSome, shows: '.recipient-count:has-text("12")' },
      { name: 'compose-question-to', path: `${app}/send`, prepare: reviewToSome, shows: 'form.review code' },
      { name: 'compose-question-later', path: `${app}/send`, prepare: reviewForLater, shows: 'form.review time' },
      { name: 'compose-refused-to', path: `${app}/send`, prepare: reviewNobody, shows: '.note.error' },
      { name: 'compose-refused-times', path: `${app}/send`, prepare: reviewTooLate, shows: '.note.error' },
      { name: 'compose-refused', path: `${app}/send`, prepare: reviewTooMuch, shows: '.note.error' },
      { name: 'compose-refused-fields', path: `${app}/send`, prepare: reviewWrongFields, shows: '.wrong-fields' },
      { name: 'compose-pictures', path: `${workshop}/send`, prepare: uploadAndCompose, shows: 'form.compose details .note.warning' },
      { name: 'compose-again', path: `${app}/send?from=${refs.toSome}`, shows: '.note' },
      { name: 'send', path: `${app}/sends/${refs.done}` },
      { name: 'send-running', path: `${app}/sends/${refs.running}`, shows: '[data-running]' },
      { name: 'send-cancelled', path: `${app}/sends/${refs.cancelled}?cancelled=22`, shows: '.note.success' },
      { name: 'send-scheduled', path: `${app}/sends/${refs.scheduled}`, shows: '.status.scheduled' },
      { name: 'send-called-off', path: `${app}/sends/${refs.calledOff}?cancelled=0`, shows: '.note.success' },
      { name: 'send-refused', path: `${app}/sends/${refs.refused}`, shows: '.status.refused' },
      { name: 'send-to', path: `${app}/sends/${refs.toSome}`, shows: '.send-details code' },
      { name: 'send-nobody', path: `${workshop}/sends/${refs.toNobody}`, shows: '.status.nobody' },
      { name: 'history', path: `${app}/history` },
      { name: 'history-scheduled', path: `${app}/history?status=scheduled`, shows: '.status.scheduled' },
      { name: 'history-searched', path: `${app}/history?q=${encodeURIComponent(notification.title)}&from=2020-01-01`, shows: '.delivery-bar' },
      { name: 'history-none', path: `${empty}/history?status=refused`, shows: '.empty' },
      { name: 'subscribers', path: `${app}/subscribers` },
      { name: 'subscribers-question', path: `${app}/subscribers`, prepare: askToConfirm, shows: 'details.confirm[open] form' },
      { name: 'subscribers-none-found', path: `${app}/subscribers?q=nobody`, shows: '.empty' },
      { name: 'subscribers-filtered', path: `${app}/subscribers?tag=news&state=active`, shows: 'table.subscribers' },
      { name: 'subscriber', path: `${app}/subscribers/${refs.subscriber}`, shows: '#subscriber-id' },
      { name: 'subscriber-menu', path: `${app}/subscribers/${refs.subscriber}`, prepare: askToConfirm, shows: 'details.confirm[open] form' },
      { name: 'subscribers-import', path: `${app}/subscribers/import` },
      { name: 'subscribers-imported', path: `${workshop}/subscribers/import`, prepare: checkList, shows: 'table.refused-lines' },
      { name: 'audience', path: `${app}/audience`, shows: 'table.audience-hosts' },
      { name: 'keys', path: `${app}/keys`, shows: 'table.keys' },
      { name: 'keys-new', path: `${workshop}/keys`, prepare: makeKey, shows: '#new-key' },
      { name: 'keys-refused', path: `${workshop}/keys`, prepare: makeNamelessKey, shows: '#create .note.error' },
      { name: 'key-history', path: `${app}/keys/history` },
      { name: 'vapid-keys', path: `${app}/keys/vapid` },
      { name: 'vapid-keys-exported', path: `${workshop}/keys/vapid`, prepare: exportVapidKey, shows: '#private-key' },
      { name: 'dead-letters', path: `${app}/dead-letters` },
      { name: 'dead-letters-of-send', path: `${app}/dead-letters?send=${refs.done}`, shows: '.note' },
      { name: 'webhook', path: `${app}/webhook`, shows: '#attempts tbody tr:nth-child(3)' },
      { name: 'webhook-event', path: `${app}/webhook?event=${refs.event}`, prepare: unfold, shows: '#request-body' },
      { name: 'webhook-none', path: `${empty}/webhook`, shows: '#webhook-webhook_url' },
      { name: 'webhook-refused', path: `${empty}/webhook`, prepare: setBadWebhook, shows: '#webhook .note.error' },
      { name: 'webhook-off', path: `${refs.off}/webhook`, shows: '#switch form' },
      { name: 'settings', path: `${app}/settings` },
      { name: 'settings-pictures', path: `${workshop}/settings`, prepare: uploadPicture, shows: 'ul.pictures img' },
      { name: 'settings-refused', path: `${app}/settings`, prepare: deleteUnderAnotherName, shows: '#delete .note.error' },
      { name: 'empty-overview', path: empty },
      { name: 'empty-history', path: `${empty}/history` },
      { name: 'empty-subscribers', path: `${empty}/subscribers` },
      { name: 'empty-audience', path: `${empty}/audience` },
      { name: 'empty-keys', path: `${empty}/keys`, shows: '.empty' },
      { name: 'empty-dead-letters', path: `${empty}/dead-letters` },
    ];
  }
}

/** Gives an app keys, subscribers of every kind, a webhook, and sends in every state. */
async function createTraffic(app: ApiApp, push: PushService, receiver: WebhookReceiver): Promise<Omit<Traffic, 'toNobody'>> {
  await app.createKey('注文サーバー', 'notify');
  await app.createKey('管理スクリプト', 'full');
  const { id: old } = await app.createKey('古いサーバー', 'notify');
  await app.request('DELETE', `/keys/${old}`);
  const browsers = await push.subscribe(86);
  await app.subscribe(browsers);
  for (const { endpoint } of browsers.slice(0, 5)) await push.forget(endpoint);
  for (const { endpoint } of browsers.slice(5, 8)) await push.answer(endpoint, '403');
  await app.request('PATCH', '', { webhook_url: receiver.url('/hook') });
  receiver.answer('/hook', 500, 'The till is being changed. Come back in a minute.');
  const done = await app.send(notification);
  await app.waitForStatus(done, 'done');
  const { id: event } = await receiver.next();
  receiver.answer('/hook', 200, 'Thank you.');
  for (const sent of [closing, note]) await app.waitForStatus(await app.send(sent), 'done');
  for (const { endpoint } of browsers.slice(8, 30)) await push.answer(endpoint, '500');
  const running = await app.send(reserve);
  await app.waitForStatus(running, 'sending');
  const waiting = await createWaitingTraffic(app, browsers);
  const cancelled = await app.send({ ...reserve, title: `${reserve.title}（訂正前）` });
  await app.waitForStatus(cancelled, 'sending');
  await app.request('DELETE', `/notifications/${cancelled}`);
  const { items } = await app.request('GET', '/subscriptions?limit=1');
  return { done, running, cancelled, event, subscriber: items[0].id, ...waiting };
}

/** Gives some subscribers users and tags, and the app sends to them and sends that are scheduled. */
async function createWaitingTraffic(app: ApiApp, browsers: Subscriber[]): Promise<Pick<Traffic, 'scheduled' | 'calledOff' | 'refused' | 'toSome'>> {
  for (const [number, browser] of browsers.slice(-12).entries()) {
    await app.identify(browser, `member-${number % 3}`, ['news', number % 2 ? 'lang:ja' : 'lang:en', '_plan:pro']);
  }
  const toSome = await app.send({ ...note, to: { tags: 'news && !lang:ja', user_ids: ['member-0', 'member-2'] } });
  await app.waitForStatus(toSome, 'done');
  const later = (days: number) => Date.now() + days * 86_400_000;
  const times = { send_at: later(1), expires_at: later(2), max_per_minute: 600 };
  const scheduled = await app.send({ ...reserve, ...times, to: { tags: 'lang:ja && (_plan:pro || beta)' } });
  await app.send({ ...closing, send_at: later(30) });
  const calledOff = await app.send({ ...note, send_at: later(3) });
  await app.request('DELETE', `/notifications/${calledOff}`);
  const refused = await app.send({ ...note, send_at: later(4) });
  return { scheduled, calledOff, refused, toSome };
}

/** Gives an app a webhook and something to post to it. */
async function triggerWebhook(app: ApiApp, push: PushService, url: string): Promise<void> {
  await app.subscribe(await push.subscribe(1));
  await app.request('PATCH', '', { webhook_url: url });
  await app.waitForStatus(await app.send(notification), 'done');
}

/** Makes an app of an account whose owner is still to come, with one of everything that they decide about. */
async function createFormerApp(hato: Hato, push: PushService, receiver: WebhookReceiver): Promise<void> {
  const app = await ApiApp.create(hato, await registerAccount(hato, formerOwner), '前からの店');
  await app.createKey('管理スクリプト', 'full');
  const browsers = await push.subscribe(2);
  await app.subscribe(browsers);
  await push.answer(browsers[1]!.endpoint, '500');
  await app.request('PATCH', '', { webhook_url: receiver.url('/former') });
  await app.waitForStatus(await app.send(reserve), 'sending');
}

/** What somebody sees of an account that was not theirs before. */
const reviewStates: PageState[] = [
  { name: 'review', path: '/account/review', shows: 'fieldset.decision:nth-of-type(4)' },
  { name: 'review-refused', path: '/account/review?error=INVALID_INPUT&form=review#review', shows: '#review .note.error' },
];

/** The pages of visitors who are not logged in. */
const signedOutStates: PageState[] = [
  { name: 'landing', path: '/' },
  { name: 'pricing', path: '/pricing' },
  { name: 'reference', path: '/docs/api' },
  { name: 'reference-group', path: '/docs/api/sending', shows: '#notify' },
  { name: 'guides', path: '/docs' },
  { name: 'guide', path: '/docs/embed' },
  { name: 'guide-deploy', path: '/docs/deploy' },
  { name: 'register', path: '/register' },
  { name: 'register-refused', path: '/register?error=EMAIL_IN_USE&form=register', shows: '.note.error' },
  { name: 'login', path: '/login?next=/apps', shows: '.note.warning' },
  { name: 'login-refused', path: '/login?error=INVALID_CREDENTIALS&form=login', shows: '.note.error' },
  { name: 'lost', path: '/no/such/page' },
];

/** The pages of an account, those of its apps apart. */
const accountStates: PageState[] = [
  { name: 'apps', path: '/apps' },
  { name: 'apps-refused', path: '/apps', prepare: makeNamelessApp, shows: '#create .note.error' },
  { name: 'account', path: '/account' },
  { name: 'pricing-operator', path: '/pricing', shows: '.plan a[href="/operator"]' },
  { name: 'search', path: '/search?q=%E3%83%91%E3%83%B3', shows: '#found a' },
  { name: 'palette', path: '/account', prepare: openPalette, shows: '#palette [role=option]' },
  { name: 'operator', path: '/operator', shows: 'table.accounts' },
  { name: 'operator-question', path: '/operator', prepare: askToConfirm, shows: 'details.confirm[open] form' },
  { name: 'account-refused', path: '/account', prepare: changeWrongPassword, shows: '#password .note.error' },
  { name: 'lost-signed-in', path: '/apps/app_unknown' },
];

/** On the Free plan: apps beyond its limit, a month nearly spent, a webhook that was set before and one that was not. */
function freePlanStates(withWebhook: string, withoutWebhook: string): PageState[] {
  return [
    { name: 'pricing-owner', path: '/pricing', prepare: unfold, shows: '.plan pre' },
    { name: 'free-apps', path: '/apps', shows: '#create a[href="/pricing"]' },
    { name: 'free-apps-refused', path: '/apps?error=PLAN_LIMIT_EXCEEDED&form=create#create', shows: '#create .note.error a' },
    { name: 'free-webhook', path: `${withoutWebhook}/webhook`, shows: '#webhook a[href="/pricing"]' },
    { name: 'free-webhook-refused', path: `${withoutWebhook}/webhook?error=PLAN_REQUIRED&form=webhook#webhook`, shows: '#webhook .note.error a' },
    { name: 'free-webhook-kept', path: `${withWebhook}/webhook`, shows: '#switch a[href="/pricing"]' },
  ];
}

/** Fills a form and sends it without the browser's own validation, so that the server has to judge it. */
async function submit(page: Page, form: string, fields: Record<string, string>, button = '[type=submit]'): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.locator(`${form} [name=${name}]`).fill(value);
  await page.locator(form).evaluate((element: HTMLFormElement) => (element.noValidate = true));
  await page.evaluate(() => (document.documentElement.dataset.left = 'no'));
  await page.locator(`${form} ${button}`).click();
  await page.waitForFunction(isAnswered, undefined, { timeout: 30_000 });
}

/** Whether another page is there, or the open one says what was refused. */
function isAnswered(): boolean {
  const isNew = document.documentElement.dataset.left !== 'no' && document.readyState === 'complete';
  return isNew || document.querySelector('[data-form-error] > *') !== null;
}

/** Lets every field be seen and filled in. */
async function fillAll(page: Page, fields: Record<string, string>, button?: string): Promise<void> {
  await unfold(page);
  for (const [name, value] of Object.entries(fields)) await page.locator(`form.compose [name=${name}]`).evaluate((it: HTMLInputElement, value) => (it.value = value), value);
  if (button) await submit(page, 'form.compose', {}, button);
}

const people = { tags: 'news', users: 'member-0\nmember-1\nmember-2\nmember-3\nmember-4\nmember-5\nmember-6' };
const times = () => {
  const minute = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16);
  return { send_at: minute(1), expires_at: minute(2), max_per_minute: '600' };
};

async function writeToSome(page: Page): Promise<void> {
  await page.locator('form.compose [name=tags]').fill(people.tags);
  await page.locator('form.compose [name=users]').fill(people.users);
}

function reviewToSome(page: Page): Promise<void> {
  return fillAll(page, { ...notification, ...people }, 'button[value=review]');
}

function reviewForLater(page: Page): Promise<void> {
  return fillAll(page, { ...notification, ...people, ...times() }, 'button[value=review]');
}

function reviewNobody(page: Page): Promise<void> {
  return fillAll(page, { ...notification, tags: 'news &&' }, 'button[value=review]');
}

function reviewTooLate(page: Page): Promise<void> {
  return fillAll(page, { ...notification, ...times(), send_at: '2026-01-01T09:00' }, 'button[value=review]');
}

function reviewWrongFields(page: Page): Promise<void> {
  const wrong = { title: ' ', url: 'http://example.com/', button_1_url: 'https://example.com/', topic: '!' };
  return fillAll(page, { ...notification, ...wrong, data: '[]', lang: '!', timestamp: '1960-01-01T09:00' }, 'button[value=review]');
}

/** Puts a picture among those of the app. */
async function uploadPicture(page: Page): Promise<void> {
  await page.locator('#pictures-picture').setInputFiles(join(import.meta.dirname, '../../style/public/icon-192.png'));
  await submit(page, '#pictures form[enctype]', {});
}

async function uploadAndCompose(page: Page): Promise<void> {
  const compose = page.url();
  await page.goto(compose.replace(/send$/, 'settings'));
  await uploadPicture(page);
  await page.goto(compose);
  await unfold(page);
}

/** Looks at a list of which no line can be taken. */
async function checkList(page: Page): Promise<void> {
  const lines = ['{"endpoint":"https://push.example/1"}', 'no JSON', '{"endpoint":"http://push.example/2"}'];
  await page.locator('#import-list').setInputFiles({ name: 'list.ndjson', mimeType: 'text/plain', buffer: Buffer.from(lines.join('\n')) });
  await page.locator('#import [type=submit]:not([formaction])').click();
}

async function exportVapidKey(page: Page): Promise<void> {
  await askToConfirm(page);
  await submit(page, 'form[action="/_app/export_vapid_key"]', { confirmation: owner.password });
}

function review(page: Page): Promise<void> {
  return submit(page, 'form.compose', notification, 'button[value=review]');
}

function reviewTooMuch(page: Page): Promise<void> {
  return submit(page, 'form.compose', { ...notification, body: '鳩'.repeat(1_200) }, 'button[value=review]');
}

function makeEmbedKey(page: Page): Promise<void> {
  return submit(page, 'form[action="/_app/create_embed_key"]', {});
}

function makeKey(page: Page): Promise<void> {
  return submit(page, 'form[action="/_app/create_key"]', { name: '試作の鍵' });
}

function makeNamelessKey(page: Page): Promise<void> {
  return submit(page, 'form[action="/_app/create_key"]', { name: '' });
}

function makeNamelessApp(page: Page): Promise<void> {
  return submit(page, 'form[action="/_app/create_app"]', { name: ' ' });
}

function changeWrongPassword(page: Page): Promise<void> {
  return submit(page, 'form[action="/_app/change_password"]', { current: 'wrong horse', new: 'another horse' });
}

function setBadWebhook(page: Page): Promise<void> {
  return submit(page, 'form[action="/_app/set_webhook"]', { webhook_url: 'http://hooks.example.com/1' });
}

async function deleteUnderAnotherName(page: Page): Promise<void> {
  await page.locator('#delete summary').click();
  await submit(page, 'form[action="/_app/delete_app"]', { name: 'ほかの店' });
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
}

async function askToConfirm(page: Page): Promise<void> {
  await page.locator('details.confirm > summary').first().click();
}

/** Opens every `details` element of the page. */
export async function unfold(page: Page): Promise<void> {
  await page.evaluate(() => document.querySelectorAll('details').forEach((fold) => (fold.open = true)));
}

/** The patterns of the paths of all pages, from the dashboard's own list of them. */
export async function routes(): Promise<string[]> {
  const shell = await readFile(join(import.meta.dirname, '../../app/src/shell.rs'), 'utf8');
  const found = [...shell.matchAll(/path!\("([^"]+)"\)/g)].map(([, pattern]) => pattern!);
  expect(found).toContain('/apps/:app');
  return found;
}

const execute = promisify(execFile);
