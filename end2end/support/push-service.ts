// The stand-in push service of crates/testkit as a program of its own.

import { Program } from './program.ts';

interface Addresses {
  websocket_url: string;
  control_url: string;
  ca_file: string;
  server_file: string;
}

/** A browser's subscription, as a page hands it in. */
export interface Subscriber {
  endpoint: string;
  p256dh: string;
  auth: string;
}

export class PushService {
  private constructor(
    readonly websocketUrl: string,
    private readonly controlUrl: string,
    readonly caFile: string,
    /** A certificate of the same authority and its key, for another server on this machine. */
    readonly serverFile: string,
    private readonly program: Program,
  ) {}

  static async start(): Promise<PushService> {
    const [program, at] = await Program.start('hato-push-service', [], {}, (line) =>
      line.startsWith('{') ? (JSON.parse(line) as Addresses) : undefined,
    );
    return new PushService(at.websocket_url, at.control_url, at.ca_file, at.server_file, program);
  }

  /** Drops the browsers' connections; the next browser that comes back also loses its subscriptions. */
  async renewBrowsers(): Promise<void> {
    await this.control('POST', '/browsers/renew');
  }

  /** The service no longer knows the subscription; the browser is not told. */
  async forget(endpoint: string): Promise<void> {
    await this.control('DELETE', '/subscriptions', { subscription: endpoint });
  }

  /** The number of subscriptions that browsers have ended. */
  async unregistrations(): Promise<number> {
    return (await this.control('GET', '/state')).unregistrations;
  }

  /** The number of subscriptions that browsers have made. */
  async registrations(): Promise<number> {
    return (await this.control('GET', '/state')).registrations;
  }

  /** Makes subscriptions that belong to no real browser. */
  async subscribe(count: number): Promise<Subscriber[]> {
    return this.control('POST', '/subscriptions', { count });
  }

  /** From now on pushes to the subscription get this answer: a status such as `403`, or `hang` for none. */
  async answer(subscription: string, answer: string): Promise<void> {
    await this.control('POST', '/script', { subscription, default: answer });
  }

  /** Pushes to the subscription wait for their answers until {@link release}. */
  async hold(subscription: string): Promise<void> {
    await this.control('POST', '/hold', { subscription });
  }

  /** Answers the pushes to the subscription that were held. */
  async release(subscription: string): Promise<void> {
    await this.control('POST', '/release', { subscription });
  }

  /** What the last message to the subscription says. */
  async plaintext(endpoint: string): Promise<string> {
    const { messages } = await this.control('GET', '/messages?since=0');
    const id = new URL(endpoint).pathname.split('/').pop();
    return messages.findLast(({ subscription }: { subscription: string }) => subscription === id).plaintext;
  }

  stop(): Promise<void> {
    return this.program.stop();
  }

  private async control(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await fetch(this.controlUrl + path, { method, body: body === undefined ? undefined : JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}
