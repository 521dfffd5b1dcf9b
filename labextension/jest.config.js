const base = require('@jupyterlab/testing/lib/jest-config')(__dirname);

const esModules = [
  '@codemirror',
  '@jupyter',
  '@jupyterlab',
  '@lezer',
  '@lumino',
  '@marijn',
  'apache-arrow',
  'crelt',
  'exenv-es6',
  'json-with-bigint',
  'lib0',
  'nanoid',
  'style-mod',
  'vscode-ws-jsonrpc',
  'w3c-keyname',
  'y-protocols',
  'y-websocket',
  'yjs'
].join('|');

module.exports = {
  ...base,
  automock: false,
  roots: ['<rootDir>/test'],
  testRegex: '/test/.*\\.spec\\.tsx?$',
  reporters: ['default'],
  setupFilesAfterEnv: ['<rootDir>/test/setup.ts'],
  transform: {
    ...base.transform,
    // Types are checked once, by `lint:check`.
    '^.+\\.tsx?$': [
      'ts-jest',
      {
        tsconfig: 'test/tsconfig.json',
        diagnostics: false
      }
    ]
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules})/)`]
};
