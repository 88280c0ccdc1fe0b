import { defineConfig } from '@playwright/test';

/** `make bench-browser`: measurements, not tests. */
export default defineConfig({
  testDir: 'bench',
  timeout: 300_000,
  workers: 1,
  reporter: [['line']],
});
