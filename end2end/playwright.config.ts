import { defineConfig } from '@playwright/test';

import type { Database } from './support/hato.ts';

/** No retries: a test that fails sometimes has found something. */
export default defineConfig<object, { database: Database }>({
  testDir: 'tests',
  timeout: 90_000,
  // Long enough for a machine with other work: nothing waits longer than its event takes.
  expect: { timeout: 60_000 },
  workers: 1,
  retries: 0,
  forbidOnly: true,
  reporter: [['list']],
  // Everything on SQLite, and what has most to do with the database on PostgreSQL too.
  projects: [{ name: 'sqlite' }, { name: 'postgres', grep: /@database/, use: { database: 'postgres' } }],
  use: {
    locale: 'ja-JP',
    launchOptions: {
      executablePath: '/usr/bin/chromium',
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
