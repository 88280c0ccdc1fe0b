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

  /** Browsers lose their connections, and the next one to come back its subscriptions too. */
  async renewBrowsers(): Promise<void> {
    await this.control('POST', '/browsers/renew');
  }

  /** The service no longer knows the subscription; the browser is not told. */
  async forget(endpoint: string): Promise<void> {
    await this.control('DELETE', '/subscriptions', { subscription: endpoint });
  }

  /** How many subscriptions browsers have ended. */
  async unregistrations(): Promise<number> {
    return (await this.control('GET', '/state')).unregistrations;
  }

  /** How many subscriptions browsers have made. */
  async registrations(): Promise<number> {
    return (await this.control('GET', '/state')).registrations;
  }

  /** So many subscriptions of browsers that nobody sees. */
  async subscribe(count: number): Promise<Subscriber[]> {
    return this.control('POST', '/subscriptions', { count });
  }

  /** What pushes to the subscription are answered with from now on, such as `403` or `hang`. */
  async answer(subscription: string, answer: string): Promise<void> {
    await this.control('POST', '/script', { subscription, default: answer });
  }

  /** Pushes to the subscription wait for their answers until {@link release}. */
  async hold(subscription: string): Promise<void> {
    await this.control('POST', '/hold', { subscription });
  }

  async release(subscription: string): Promise<void> {
    await this.control('POST', '/release', { subscription });
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
