/** The main window. When the counter cannot open, it says why instead of staying blank. */
import { createApp } from 'vue'

import '../shared/tokens.css'
import '../shared/parts.css'
import './frame.css'
import { wearTheme } from '../shared/theme'
import { asCommandError } from './api/api'
import { openCounterApi } from './api/open'
import BrokenStart from './BrokenStart.vue'
import { counterKey, openCounter } from './counter'
import CounterApp from './CounterApp.vue'
import { i18n, speak } from './words/speak'

wearTheme(location.search)
try {
  const counter = await openCounter(await openCounterApi())
  createApp(CounterApp).use(i18n).provide(counterKey, counter).mount('#app')
} catch (thrown) {
  speak(navigator.language.startsWith('zh') ? 'zh' : 'en')
  createApp(BrokenStart, { why: asCommandError(thrown) }).use(i18n).mount('#app')
}
