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
    type: 'widgets',
    pattern: [
      'src/icons.ts',
      'src/*/*.tsx',
      'src/*/*widget.ts',
      'src/*/actions.ts',
      'src/grid/{input,renderers,theme}.ts'
    ],
    mode: 'full'
  },
  { type: 'models', pattern: 'src/*/*.ts', mode: 'full' }
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
      '**/*.js',
      '*.mjs'
    ]
  },
  ...tseslint.configs.recommended,
  ...jupyter.configs.recommended,
  {
    files: ['src/**/*.{ts,tsx}'],
    languageOptions: {
      parserOptions: {
        project: './tsconfig.json',
        tsconfigRootDir: import.meta.dirname
      }
    },
    plugins: { boundaries },
    settings: {
      'boundaries/elements': elements,
      'boundaries/include': ['src/**/*'],
      'import/resolver': { typescript: true }
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      // The client follows the server, and the sidebar is there, from the start; a notebook's
      // toolbar is made in one go.
      'jupyter/prefer-lazy-imports': [
        'warn',
        {
          ignoreImports: [
            '../api/*',
            '../browser/*',
            '../frames/*',
            '../notebook/*',
            '../runs/*',
            './*'
          ]
        }
      ],
      'boundaries/no-unknown-files': 'error',
      'boundaries/element-types': [
        'error',
        {
          default: 'disallow',
          rules: [
            ...floors.map((floor, at) => ({
              from: floor,
              allow: floors.slice(0, at + 1)
            })),
            // A token names the type it stands for; nothing of it is left when built.
            { from: 'tokens', allow: 'api', importKind: 'type' }
          ]
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
    // The grid's own folder is loaded with the first page that shows rows.
    files: ['src/grid/**/*.ts'],
    rules: {
      'jupyter/prefer-lazy-imports': [
        'warn',
        { ignoreImports: ['@lumino/datagrid'] }
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
  {
    // Generated from the server's models, in one file.
    files: ['src/api/types.ts'],
    rules: { 'max-lines': 'off' }
  },
  {
    files: ['test/**/*.ts', 'ui-tests/**/*.ts'],
    rules: { 'jupyter/no-untranslated-string': 'off' }
  },
  prettier
);
