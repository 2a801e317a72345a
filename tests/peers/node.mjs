// Alipay's own SDK for Node, driven by lines: one JSON request in, one JSON answer out. Its signature check is on.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const { gateway_url, app_id, alipay_public_key, app_private_key_pkcs1_base64, packages } = JSON.parse(process.env.PEER)
const { AlipaySdk } = createRequire(`${packages}/node/`)('alipay-sdk')
const sdk = new AlipaySdk({
  appId: app_id,
  privateKey: app_private_key_pkcs1_base64,
  keyType: 'PKCS1',
  alipayPublicKey: alipay_public_key,
  gateway: gateway_url,
  camelcase: false,
})

const call = (method, bizContent, more = {}) => sdk.exec(`alipay.trade.${method}`, { bizContent, ...more }, { validateSign: true })

const acts = {
  precreate: ({ out_trade_no, subject, total_amount, notify_url }) =>
    call('precreate', { out_trade_no, subject, total_amount }, { notifyUrl: notify_url }),
  query: ({ out_trade_no }) => call('query', { out_trade_no }),
  close: ({ out_trade_no }) => call('close', { out_trade_no }),
  // The one for values that are decoded already: checkNotifySign decodes them once more.
  verify: ({ fields }) => ({ genuine: sdk.checkNotifySignV2(fields) }),
}

// Whatever the SDK calls a member, it is answered under Alipay's name.
const underscored = (answer) =>
  Object.fromEntries(Object.entries(answer).map(([name, value]) => [name.replace(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`), value]))

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  const answer = await Promise.resolve()
    .then(() => acts[request.do](request))
    .then(underscored, (error) => ({ refused: String(error) }))
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
