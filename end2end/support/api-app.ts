// An app without keys or subscribers, for tests of the dashboard: everything is set up with its owner's session.

import { expect } from '@playwright/test';

import type { Hato } from './hato.ts';
import type { Subscriber } from './push-service.ts';

const platforms = ['Firefox · Windows', 'Chrome · Android', 'Safari · iOS', undefined];

/** An app of an account whose session is given; each request fails the test unless its status is below 300. */
export class ApiApp {
  private constructor(
    private readonly hato: Hato,
    readonly session: string,
    readonly id: string,
  ) {}

  static async create(hato: Hato, session: string, name: string): Promise<ApiApp> {
    return new ApiApp(hato, session, (await requestOk(hato, 'POST', '/api/v1/apps', session, { name })).appId);
  }

  /** The path of its page. */
  get path(): string {
    return `/apps/${this.id}`;
  }

  request(method: string, rest: string, body?: unknown): Promise<any> {
    return requestOk(this.hato, method, `/api/v1/apps/${this.id}${rest}`, this.session, body);
  }

  createKey(name: string, scope: string): Promise<{ id: string; key: string }> {
    return this.request('POST', '/keys', { name, scope });
  }

  /** Registers these subscribers in this order, with platforms in turn. */
  async subscribe(browsers: Subscriber[]): Promise<void> {
    const { key } = await this.createKey('ページ用', 'subscribe_only');
    for (const [number, { endpoint, p256dh, auth }] of browsers.entries()) {
      const platform = platforms[number % platforms.length];
      await requestOk(this.hato, 'POST', `/api/v1/apps/${this.id}/subscriptions`, key, { endpoint, p256dh, auth, platform });
    }
  }

  /** Tells whose browser it is and which tags it has. */
  async identify({ endpoint }: Subscriber, user: string, tags: string[]): Promise<void> {
    const { key } = await this.createKey('サーバー', 'full');
    await requestOk(this.hato, 'PATCH', '/api/v1/subscriptions', key, { endpoint, user_id: user, tags });
  }

  /** Sends to everybody, or as further members say; resolves with the send's id. */
  async send(notification: { title: string; body: string; url?: string; [member: string]: unknown }): Promise<string> {
    return (await this.request('POST', '/notify', notification)).send_id;
  }

  /** Resolves once the send has this status and at least one recipient has got it. */
  async waitForStatus(send: string, status: string): Promise<void> {
    const look = async () => {
      const record = await this.request('GET', `/notifications/${send}`);
      return record.sent_count > 0 && record.status;
    };
    await expect.poll(look, { intervals: [50] }).toBe(status);
  }
}

export async function registerAccount(hato: Hato, credentials: { email: string; password: string }): Promise<string> {
  return (await requestOk(hato, 'POST', '/auth/register', undefined, credentials)).session_token;
}

async function requestOk(hato: Hato, method: string, path: string, bearer?: string, body?: unknown): Promise<any> {
  const answer = await hato.api(method, path, bearer, body);
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.json)}`).toBeLessThan(300);
  return answer.json;
}
