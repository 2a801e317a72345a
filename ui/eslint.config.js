import vue from 'eslint-plugin-vue'
import ts from 'typescript-eslint'

const onlyInApi = {
  patterns: [{ group: ['@tauri-apps/*'], message: 'Only ui/src/*/api talks to the shell: the screens also run in a plain browser.' }],
}

export default ts.config(
  { ignores: ['dist/**', 'dist-hq/**', 'src/shared/bindings/**', 'node_modules/**'] },
  ...ts.configs.strict,
  ...vue.configs['flat/recommended'],
  {
    files: ['**/*.vue'],
    languageOptions: { parserOptions: { parser: ts.parser } },
  },
  {
    rules: {
      'no-restricted-imports': ['error', onlyInApi],
      'no-console': 'error',
      'no-eval': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'vue/no-v-html': 'error',
      'vue/no-static-inline-styles': 'error',
      'vue/max-attributes-per-line': 'off',
      'vue/singleline-html-element-content-newline': 'off',
      'vue/html-self-closing': ['error', { html: { void: 'always', normal: 'always', component: 'always' } }],
      'vue/require-default-prop': 'off',
    },
  },
  { files: ['src/*/api/**'], rules: { 'no-restricted-imports': 'off' } },
  { files: ['e2e/**', 'scripts/**'], rules: { 'no-console': 'off' }, languageOptions: { globals: { document: 'readonly', window: 'readonly' } } },
  { files: ['src/counter/collect/useCollect.ts', 'src/counter/api/fake/counter.ts', 'tests/**'], rules: { 'max-lines-per-function': 'off' } },
)
