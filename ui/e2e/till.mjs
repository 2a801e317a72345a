// A terminal as headquarters meets it, written a second time in another language from the description of the protocol alone:
// Ed25519 requests in the RFC 9421 form, a journal whose lines carry the hash of the one before, and Alipay's word signed with the test key.
import { createHash, createPrivateKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'

const fixture = (name) => readFileSync(new URL(`../../tests/fixtures/cases/keys/${name}`, import.meta.url), 'utf8')
const sha = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()
const int64 = (n) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(n))
  return bytes
}
const uuid7 = () => {
  const time = Date.now().toString(16).padStart(12, '0')
  const rest = randomUUID().replaceAll('-', '')
  const hex = `${time}7${rest.slice(13, 16)}8${rest.slice(17)}`
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
}

export const appId = '2021000100000001'
export const sellerId = '2088000100000001'
export const alipayPublicPem = fixture('platform_public.pem')
const alipayKey = createPrivateKey(fixture('platform_private_pkcs8.pem'))
const alipayDer = Buffer.from(alipayPublicPem.replace(/-----[^-]+-----|\s/g, ''), 'base64')

const tradeOf = (state) => `2026${state.pay_id.replaceAll('-', '').slice(0, 24)}`
const yuan = (fen) => `${Math.floor(fen / 100)}.${String(fen % 100).padStart(2, '0')}`

export class Till {
  constructor(url) {
    this.url = url
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    this.key = privateKey
    this.publicKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
    this.journal = []
    this.sent = 0
  }

  async post(path, keyid, value) {
    const body = Buffer.from(JSON.stringify(value))
    const digest = `sha-256=:${sha(body).toString('base64')}:`
    const created = Math.floor(Date.now() / 1000)
    const params = `("@method" "@path" "content-digest");created=${created};keyid="${keyid}";alg="ed25519"`
    const base = `"@method": POST\n"@path": ${path}\n"content-digest": ${digest}\n"@signature-params": ${params}`
    const signature = sign(null, Buffer.from(base), this.key).toString('base64')
    const headers = { 'content-digest': digest, 'signature-input': `yidan=${params}`, signature: `yidan=:${signature}:` }
    const answer = await fetch(this.url + path, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }

  async enrol(code) {
    const alipay_key = sha(alipayDer).toString('hex')
    const who = await this.post('/api/v1/enrol', 'enrolling', { code, public_key: this.publicKey, app_id: appId, alipay_key, mode: 'demo' })
    this.id = who.terminal_id
    return this
  }

  // A payment that exists and has no money yet.
  begin(fen, subject = '矿泉水') {
    const pay_id = uuid7()
    this.count = (this.count ?? 0) + 1
    const state = {
      pay_id, order_id: uuid7(), sale_id: uuid7(), order_no: `01-${String(this.count).padStart(4, '0')}`, source: 'counter', external_ref: null, subject,
      business_day: new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Shanghai' }).format(Date.now()), method: 'QR', account: `${appId}@127.0.0.1`,
      out_trade_no: `${this.id}E1_${pay_id.replaceAll('-', '').slice(0, 20)}`, amount_fen: fen, status: 'INIT', order_status: 'CREATED', trade_no: null, stopped_by: null, reason: null,
      receipts: [], refunds: [], cases: [], proof: null, created_at: Date.now(),
      carry: {
        request_id: uuid7(), content_hash: '0'.repeat(64), operator_id: '001', day_seq: this.count, replaces_order_id: null, trade_seen: false, request_body: null,
        body_expires_at: null, code_expires_at: null, close_sent_at: null, precreated_at: null, dead_after: null, watch_at: null, booked_at: null,
      },
    }
    this.write('collecting', state)
    return state
  }

  show(state) {
    this.write('code-shown', { ...state, status: 'PRECREATED', order_status: 'PAYING' })
  }

  // The money comes, with Alipay's signed answer; `forged` changes the text after it was signed.
  pay(state, forged = false) {
    const trade_no = tradeOf(state)
    const total_amount = yuan(state.amount_fen)
    const said = JSON.stringify({ code: '10000', msg: 'Success', out_trade_no: state.out_trade_no, trade_no, trade_status: 'TRADE_SUCCESS', total_amount })
    const signature = sign('sha256', Buffer.from(said), alipayKey).toString('base64')
    const text = forged ? said.replace('Success', 'success') : said
    const receipts = [{ trade_no, total: state.amount_fen, receipt: state.amount_fen, paid_at: Date.now(), booked: 'RECOGNISED', business_day: state.business_day }]
    const paid = { ...state, status: 'SUCCESS', order_status: 'PAID', trade_no, receipts, proof: { source: 'QUERY', text, signature, cert_sn: null } }
    this.write('paid', paid)
    return paid
  }

  // What Alipay itself tells headquarters about the money, signed. The till has not reported it then.
  async notified(state) {
    const fields = {
      app_id: appId, seller_id: sellerId, notify_id: uuid7(), notify_type: 'trade_status_sync', notify_time: '2026-11-30 10:00:02', charset: 'utf-8', version: '1.0', out_trade_no: state.out_trade_no,
      trade_no: tradeOf(state), trade_status: 'TRADE_SUCCESS', total_amount: yuan(state.amount_fen), receipt_amount: yuan(state.amount_fen), gmt_payment: '2026-11-30 10:00:01',
    }
    const text = Object.entries(fields).toSorted(([one], [other]) => (one < other ? -1 : 1)).map((field) => field.join('=')).join('&')
    const signed = new URLSearchParams({ ...fields, sign_type: 'RSA2', sign: sign('sha256', Buffer.from(text), alipayKey).toString('base64') })
    const answer = await (await fetch(`${this.url}/pay/alipay/notify`, { method: 'POST', body: signed })).text()
    if (answer !== 'success') throw new Error(`the notice was answered ${answer}`)
  }

  write(kind, state) {
    const last = this.journal.at(-1)
    const seq = (last?.seq ?? 0) + 1
    const event = { seq, event_id: uuid7(), kind, at: Date.now(), payload: JSON.stringify(state), prev_hash: last?.hash ?? '0'.repeat(64) }
    const id = Buffer.from(event.event_id.replaceAll('-', ''), 'hex')
    const parts = [Buffer.from(event.prev_hash, 'hex'), int64(seq), id, int64(Buffer.byteLength(kind)), Buffer.from(kind), int64(event.at), sha(Buffer.from(event.payload))]
    event.hash = sha(...parts).toString('hex')
    this.journal.push(event)
  }

  // Sends what is not acknowledged yet; `upTo` holds the rest back, as a lost network would.
  async send(upTo = this.journal.length) {
    const ack = await this.post('/api/v1/events', this.id, { head_seq: this.journal.length, events: this.journal.slice(this.sent, upTo) })
    this.sent = ack.acked_seq
    return ack
  }
}
