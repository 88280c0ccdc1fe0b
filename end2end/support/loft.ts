// An account with one of everything, for looking at every page of the dashboard.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect } from '@playwright/test';

import type { Hato } from './hato.ts';
import type { PushService } from './push-service.ts';

const account = { email: 'owner@example.com', password: 'correct horse' };
const platforms = ['Firefox · Windows', 'Chrome · Android', 'Safari · iOS', undefined];

/** What was sent within the last month, which nobody waits for. */
const past = `
import sqlite3, sys, time
database = sqlite3.connect(sys.argv[1])
today = int(time.time() // 86400)
for ago in range(1, 30):
    sent = (1 + (29 - ago) * 7 + (ago * ago * 37) % 190) * (0 if ago % 9 == 4 else 1)
    database.execute(
        "INSERT INTO daily_counts (app_id, day, sends, sent, failed) VALUES (?, ?, ?, ?, ?)",
        (sys.argv[2], today - ago, 1 if sent else 0, sent, sent * ((ago * 13) % 11) // 60),
    )
database.commit()
`;

export interface LookedAt {
  name: string;
  path: string;
}

export class Loft {
  private constructor(
    readonly session: string,
    private readonly app: string,
    private readonly empty: string,
    private readonly done: string,
    readonly running: string,
  ) {}

  static async furnish(hato: Hato, push: PushService): Promise<Loft> {
    const ask = async (method: string, path: string, session?: string, body?: unknown) => {
      const answer = await hato.api(method, path, session, body);
      expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.json)}`).toBeLessThan(300);
      return answer.json;
    };
    const { session_token: session } = await ask('POST', '/auth/register', undefined, account);
    const create = async (name: string) => (await ask('POST', '/api/v1/apps', session, { name })).appId as string;
    const app = await create('はとパン');
    const empty = await create('準備中のサイト');
    const below = (rest: string) => `/api/v1/apps/${app}${rest}`;
    const key = (name: string, scope: string) => ask('POST', below('/keys'), session, { name, scope });
    const { key: subscribing } = await key('ページ用', 'subscribe_only');
    await key('注文サーバー', 'notify');
    await key('管理スクリプト', 'full');
    const { id: old } = await key('古いサーバー', 'notify');
    await ask('DELETE', below(`/keys/${old}`), session);
    const browsers = await push.subscribe(86);
    for (const [number, { endpoint, p256dh, auth }] of browsers.entries()) {
      const platform = platforms[number % platforms.length];
      await ask('POST', below('/subscriptions'), subscribing, { endpoint, p256dh, auth, platform });
    }
    for (const { endpoint } of browsers.slice(0, 5)) await push.forget(endpoint);
    for (const { endpoint } of browsers.slice(5, 8)) await push.answer(endpoint, '403');
    const send = async (title: string, body: string, url?: string) =>
      (await ask('POST', below('/notify'), session, { title, body, url })).send_id as string;
    const settled = (id: string) =>
      expect
        .poll(async () => (await ask('GET', below(`/notifications/${id}`), session)).status, { intervals: [50] })
        .toBe('done');
    const done = await send('焼きたてです', 'クロワッサンが焼きあがりました。', 'https://example.com/croissant');
    await settled(done);
    await settled(await send('本日の営業について', '大雪のため、本日は15時に閉店いたします。ご了承ください。'));
    await settled(await send('A little note', 'Our English menu is online.', 'https://example.com/en/menu'));
    for (const { endpoint } of browsers.slice(8, 30)) await push.answer(endpoint, 'hang');
    const running = await send('明日の予約を受け付け中', '食パンとバゲットは、前日の20時までご予約いただけます。', 'https://example.com/reserve');
    await execute('python3', ['-c', past, join(hato.data, 'hato.db'), app]);
    return new Loft(session, app, empty, done, running);
  }

  /** The app's pages, and everything else there is. */
  get pages(): LookedAt[] {
    const app = `/apps/${this.app}`;
    const empty = `/apps/${this.empty}`;
    return [
      { name: 'apps', path: '/apps' },
      { name: 'account', path: '/account' },
      { name: 'overview', path: app },
      { name: 'compose', path: `${app}/send` },
      { name: 'send', path: `${app}/sends/${this.done}` },
      { name: 'send-running', path: `${app}/sends/${this.running}` },
      { name: 'history', path: `${app}/history` },
      { name: 'subscribers', path: `${app}/subscribers` },
      { name: 'keys', path: `${app}/keys` },
      { name: 'key-history', path: `${app}/keys/history` },
      { name: 'dead-letters', path: `${app}/dead-letters` },
      { name: 'webhook', path: `${app}/webhook` },
      { name: 'settings', path: `${app}/settings` },
      { name: 'empty-overview', path: empty },
      { name: 'empty-history', path: `${empty}/history` },
      { name: 'empty-subscribers', path: `${empty}/subscribers` },
      { name: 'empty-keys', path: `${empty}/keys` },
      { name: 'empty-dead-letters', path: `${empty}/dead-letters` },
      { name: 'lost', path: '/no/such/page' },
    ];
  }

  /** Pages for whoever is not signed in. */
  static readonly entrance: LookedAt[] = [
    { name: 'landing', path: '/' },
    { name: 'pricing', path: '/pricing' },
    { name: 'register', path: '/register' },
    { name: 'login', path: '/login?next=/apps' },
  ];
}

const execute = promisify(execFile);
