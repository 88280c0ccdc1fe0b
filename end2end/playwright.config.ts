import { defineConfig } from '@playwright/test';

/** No retries: a test that fails sometimes has found something. */
export default defineConfig({
  testDir: 'tests',
  timeout: 90_000,
  // Long enough for a machine with other work: nothing waits longer than its event takes.
  expect: { timeout: 60_000 },
  workers: 1,
  retries: 0,
  forbidOnly: true,
  reporter: [['list']],
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
