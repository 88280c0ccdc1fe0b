// The stand-in push service of crates/testkit as a program of its own.

import { Program } from './program.ts';

interface Addresses {
  websocket_url: string;
  control_url: string;
  ca_file: string;
}

export class PushService {
  private constructor(
    readonly websocketUrl: string,
    readonly controlUrl: string,
    readonly caFile: string,
    private readonly program: Program,
  ) {}

  static async start(): Promise<PushService> {
    const [program, at] = await Program.start('hato-push-service', [], {}, (line) =>
      line.startsWith('{') ? (JSON.parse(line) as Addresses) : undefined,
    );
    return new PushService(at.websocket_url, at.control_url, at.ca_file, program);
  }

  stop(): Promise<void> {
    return this.program.stop();
  }
}
