/** Headquarters' page, served by the program `yidan-hq` itself. */
import { createApp } from 'vue'

import '../shared/tokens.css'
import '../shared/parts.css'
import '../counter/frame.css'
import './hq.css'
import { wearTheme } from '../shared/theme'
import { hqKey, openHq } from './hq'
import HqApp from './HqApp.vue'
import { i18n, speak, spoken } from './words/speak'

wearTheme(location.search)
speak(spoken(location.search))
const hq = openHq()
void hq.findOut()
createApp(HqApp).use(i18n).provide(hqKey, hq).mount('#app')
