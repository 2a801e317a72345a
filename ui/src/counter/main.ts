/** The main window. */
import { createApp } from 'vue'

import '../shared/tokens.css'
import '../shared/parts.css'
import './frame.css'
import { wearTheme } from '../shared/theme'
import { openCounterApi } from './api/open'
import { counterKey, openCounter } from './counter'
import CounterApp from './CounterApp.vue'
import { i18n } from './words/speak'

wearTheme(location.search)
const counter = await openCounter(await openCounterApi())
createApp(CounterApp).use(i18n).provide(counterKey, counter).mount('#app')
