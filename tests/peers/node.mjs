// Alipay's own SDK for Node, driven by lines: one JSON request in, one JSON answer out. Its signature check is on.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const peer = JSON.parse(process.env.PEER)
const { AlipaySdk } = createRequire(`${peer.packages}/node/`)('alipay-sdk')

const trust = {
  keys: { alipayPublicKey: peer.alipay_public_key },
  certificates: {
    appCertContent: peer.app_cert,
    alipayPublicCertContent: peer.alipay_cert,
    alipayRootCertContent: peer.alipay_root_cert,
  },
}

const sdk = new AlipaySdk({
  appId: peer.app_id,
  privateKey: peer.app_private_key_pkcs1_base64,
  keyType: 'PKCS1',
  gateway: peer.gateway_url,
  camelcase: false,
  ...trust[peer.known_by],
})

// Whatever the SDK calls a member, it is answered under Alipay's name.
const underscored = (answer) =>
  Object.fromEntries(Object.entries(answer).map(([name, value]) => [name.replace(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`), value]))

const call = async ({ method, content, notify_url }) => {
  const parameters = notify_url ? { bizContent: content, notifyUrl: notify_url } : { bizContent: content }
  return underscored(await sdk.exec(method, parameters, { validateSign: true }))
}

// Its older checkNotifySign is left out: it decodes values that are decoded already, and throws at a bare percent sign.
const verify = ({ verify: fields }) => ({ genuine: sdk.checkNotifySignV2(fields) })

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  const answer = await Promise.resolve(request)
    .then(request.verify ? verify : call)
    .catch((error) => ({ refused: String(error) }))
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
