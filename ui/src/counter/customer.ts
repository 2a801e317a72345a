/** The customer display: a window of its own, which may only look. */
import { createApp } from 'vue'

import '../shared/tokens.css'
import '../shared/parts.css'
import { wearTheme } from '../shared/theme'
import { openCustomerApi } from './api/open'
import CustomerDisplay from './customer/CustomerDisplay.vue'
import { i18n } from './words/speak'

wearTheme(location.search)
createApp(CustomerDisplay, { api: await openCustomerApi() }).use(i18n).mount('#app')
