import jupyter from '@jupyter/eslint-plugin';
import prettier from 'eslint-config-prettier';
import boundaries from 'eslint-plugin-boundaries';
import tseslint from 'typescript-eslint';

/** The floors: a file imports its own floor and lower ones only. */
const elements = [
  { type: 'index', pattern: 'src/index.ts', mode: 'full' },
  { type: 'plugins', pattern: 'src/plugins/**/*', mode: 'full' },
  {
    type: 'tokens',
    pattern: ['src/tokens.ts', 'src/commands.ts'],
    mode: 'full'
  },
  { type: 'api', pattern: 'src/api/**/*', mode: 'full' },
  {
    type: 'models',
    pattern: [
      'src/*/model.ts',
      'src/*/*model.ts',
      'src/*/*Model.ts',
      'src/*/*source.ts',
      'src/*/format.ts',
      'src/*/rows.ts'
    ],
    mode: 'full'
  },
  { type: 'widgets', pattern: ['src/icons.ts', 'src/*/**/*'], mode: 'full' }
];
const floors = ['tokens', 'api', 'models', 'widgets', 'plugins', 'index'];

export default tseslint.config(
  {
    ignores: [
      'lib/**',
      'node_modules/**',
      'coverage/**',
      'ui-tests/node_modules/**',
      'ui-tests/test-results/**',
      'ui-tests/playwright-report/**',
      '*.js',
      '*.mjs'
    ]
  },
  ...tseslint.configs.recommended,
  {
    files: ['src/**/*.{ts,tsx}'],
    languageOptions: {
      parserOptions: {
        project: './tsconfig.json',
        tsconfigRootDir: import.meta.dirname
      }
    },
    plugins: { boundaries, '@jupyter': jupyter },
    settings: {
      'boundaries/elements': elements,
      'boundaries/include': ['src/**/*'],
      'import/resolver': { typescript: true }
    },
    rules: {
      ...jupyter.configs?.recommended?.rules,
      '@typescript-eslint/no-floating-promises': 'error',
      'boundaries/no-unknown-files': 'error',
      'boundaries/element-types': [
        'error',
        {
          default: 'disallow',
          rules: floors.map((floor, at) => ({
            from: floor,
            allow: floors.slice(0, at + 1)
          }))
        }
      ],
      'boundaries/external': [
        'error',
        {
          default: 'allow',
          rules: [
            {
              from: ['models', 'api', 'tokens'],
              disallow: ['react', 'react-dom']
            }
          ]
        }
      ]
    }
  },
  {
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { args: 'none' }],
      curly: ['error', 'all'],
      eqeqeq: 'error',
      'max-lines': ['error', { max: 400 }],
      'prefer-arrow-callback': 'error'
    }
  },
  prettier
);
