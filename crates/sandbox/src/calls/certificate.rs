//! `alipay.open.app.alipaycert.download`: any platform certificate, current or old, by its number.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Stop, invalid_parameter, refuse};
use crate::answer::Answer;
use crate::biz::Biz;
use crate::platform::Turn;

pub fn download(turn: &Turn<'_>, biz: &Biz) -> Result<Answer, Stop> {
    let sn = biz.text("alipay_cert_sn").ok_or_else(|| invalid_parameter("alipay_cert_sn"))?;
    let certificate = turn
        .records
        .find_certificate(&sn)?
        .ok_or_else(|| refuse("isv.invalid-alipay-cert-sn", "支付宝公钥证书序列号无效"))?;
    Ok(Answer::success().with("alipay_cert_content", STANDARD.encode(certificate.pem)))
}
