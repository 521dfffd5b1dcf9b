const galata = require('@jupyterlab/galata/lib/playwright-config');
const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

// The workers and the server read the port that is chosen here once.
process.env.FLOWCAT_UI_PORT ??= execFileSync(process.execPath, [
  '-e',
  'const s = require("net").createServer().listen(0, "127.0.0.1", () => { process.stdout.write(String(s.address().port)); s.close(); })'
]).toString();
const port = process.env.FLOWCAT_UI_PORT;
// Where the server keeps its catalog: a command line of the tests opens the same one.
process.env.FLOWCAT_UI_HOME ??= fs.mkdtempSync(
  path.join(os.tmpdir(), 'flowcat-ui-')
);
// Where Jupyter lives under the address, as behind a hub: `/user/a%40b.c`.
const base = (process.env.FLOWCAT_UI_BASE ?? '').replace(/\/$/, '');
const url = `http://127.0.0.1:${port}${base}`;
const chromium = process.env.FLOWCAT_CHROMIUM ?? '/usr/bin/chromium';

// Galata's own fixtures read the address from here.
process.env.TARGET_URL = url;

module.exports = {
  ...galata,
  testDir: './tests',
  timeout: 90_000,
  expect: { timeout: 15_000 },
  workers: 1,
  retries: 0,
  reporter: [['list']],
  outputDir: './test-results',
  use: {
    ...galata.use,
    baseURL: url,
    video: 'off',
    trace: 'off',
    // Sooner than the test's own end, so that the report names the step.
    actionTimeout: 30_000,
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      ...(fs.existsSync(chromium) ? { executablePath: chromium } : {}),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-background-networking'
      ]
    }
  },
  webServer: {
    command: 'jupyter lab --config jupyter_server_test_config.py',
    url: `${url}/lab`,
    timeout: 180_000,
    reuseExistingServer: false
  }
};
