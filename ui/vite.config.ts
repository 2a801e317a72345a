import vue from '@vitejs/plugin-vue'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The same policy that the shell sets: nothing inline, nothing from elsewhere. */
const strictPolicy = "default-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'"

const counter = {
  root: at('./'),
  build: {
    outDir: at('./dist'),
    emptyOutDir: true,
    target: 'chrome109',
    modulePreload: { polyfill: false },
    rollupOptions: { input: { index: at('./index.html'), customer: at('./customer.html') } },
  },
}

/** Headquarters' page: its own root, so that dist-hq/index.html is the page itself. */
const hq = {
  root: at('./src/hq'),
  build: { outDir: at('./dist-hq'), emptyOutDir: true, target: 'chrome109', modulePreload: { polyfill: false } },
}

export default defineConfig(({ mode }) => ({
  ...(mode === 'hq' ? hq : counter),
  base: './',
  plugins: [vue()],
  define: {
    __VUE_OPTIONS_API__: true,
    __VUE_PROD_DEVTOOLS__: false,
    __VUE_I18N_FULL_INSTALL__: false,
    __VUE_I18N_LEGACY_API__: false,
    __INTLIFY_PROD_DEVTOOLS__: false,
  },
  preview: { host: '127.0.0.1', headers: { 'Content-Security-Policy': strictPolicy } },
  server: { host: '127.0.0.1' },
  // Element Plus brings style sheets, which only Vite can read.
  test: { environment: 'jsdom', include: ['tests/**/*.test.ts'], root: at('./'), server: { deps: { inline: ['element-plus'] } } },
}))
