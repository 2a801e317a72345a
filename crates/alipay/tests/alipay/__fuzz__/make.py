#!/usr/bin/env python3
"""Writes the stored corpus of the fuzz targets. Run once; what it wrote is kept, and so is what a fuzzer finds later.

A file's name says what must become of it: `real_…` is believed or read, `hostile_…` is refused.
"""
import base64
import io
import shutil
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
FIXTURES = HERE / "../../../../../tests/fixtures/cases"
CERTS = HERE / "../../certs"


def write(target, name, content):
    folder = HERE / target / "corpus"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def copy(target, name, source):
    write(target, name, Path(source).read_bytes())


def answers():
    for case in ["RS1", "RS3", "RS5b", "RS7", "RS17", "RS18"]:
        copy("answers", f"real_{case}", FIXTURES / f"response/{case}.json")
    real = (FIXTURES / "response/RS1.json").read_bytes()
    node = b'"alipay_trade_precreate_response":'
    write("answers", "hostile_member_twice", real.replace(b"{" + node, b"{" + node + b'{"code":"10000"},' + node, 1))
    write("answers", "hostile_member_twice_escaped", real.replace(node, b'"alipay_trade_precreate_\\u0072esponse":{"code":"10000"},' + node, 1))
    write("answers", "hostile_both_members", real.replace(b"{" + node, b'{"error_response":{"code":"20000"},' + node, 1))
    write("answers", "hostile_node_is_text", real.replace(node, node + b'"ILpoMowjIQjfYMR847rnFQ==","x":', 1))
    write("answers", "hostile_sign_is_a_list", real.replace(b'"sign":"', b'"sign":["', 1).replace(b'"}', b'"]}'))
    write("answers", "hostile_sign_is_empty", real[: real.index(b'"sign":"')] + b'"sign":""}')
    write("answers", "hostile_two_objects", real.strip() + real.strip())
    write("answers", "hostile_cut_in_the_signature", real[:-40])
    write("answers", "hostile_nested_10000", b'{"alipay_trade_precreate_response":' + b'{"a":' * 10_000)
    write("answers", "hostile_half_a_surrogate", b'{"alipay_trade_precreate_response":{"code":"10000","qr_code":"\\ud800"},"sign":"\\udc00"}')
    write("answers", "hostile_half_a_gbk_character", real.replace(b'"sign":"', b'"msg":"\xcf","sign":"', 1))
    write("answers", "hostile_utf16", real.decode().encode("utf-16"))
    write("answers", "hostile_nul_in_front", b"\0" + real)
    write("answers", "hostile_code_of_10000_digits", b'{"alipay_trade_precreate_response":{"code":' + b"9" * 10_000 + b'},"sign":"AA=="}')
    write("answers", "hostile_code_is_a_float", b'{"alipay_trade_precreate_response":{"code":1e4,"qr_code":"x"},"sign":"AA=="}')


def notices():
    for case in ["NT1", "NT2", "NT3", "NT5", "NT7", "NT28"]:
        copy("notices", f"real_{case}", FIXTURES / f"notify/{case}.body")
    real = (FIXTURES / "notify/NT1.body").read_bytes()
    write("notices", "hostile_amount_twice", real + b"&total_amount=0.01")
    write("notices", "hostile_amount_twice_encoded", real + b"&total%5Famount=0.01")
    write("notices", "hostile_charset_replaced", real.replace(b"charset=utf-8", b"charset=utf-7"))
    write("notices", "hostile_blank_for_plus", real.replace(b"%2B", b"+"))
    write("notices", "hostile_decoded_twice", real.replace(b"%", b"%25"))
    write("notices", "hostile_cut_escape", real[:-1] + b"%4")
    write("notices", "hostile_sha1_named", real.replace(b"sign_type=RSA2", b"sign_type=RSA").replace(b"&sign=", b"&sign=A"))
    write("notices", "hostile_70000_bytes", real + b"&x=" + b"y" * 70_000)
    write("notices", "hostile_only_ampersands", b"&" * 1000)
    write("notices", "hostile_name_without_value", b"sign&sign_type&app_id")
    write("notices", "hostile_bytes", bytes(range(256)))
    write("notices", "hostile_json", b'{"app_id":"2021000100000001","trade_status":"TRADE_SUCCESS"}')


def archive(entries, compression=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as zip_:
        for name, content in entries:
            zip_.writestr(zipfile.ZipInfo(name, (2026, 11, 30, 8, 31, 0)), content, compression)
    return file.getvalue()


def bills():
    for case in ["BL1", "BL2", "BL3", "BL5", "BL8", "BL10"]:
        copy("bills", f"real_{case}", FIXTURES / f"bill/{case}.zip")
    copy("bills", "hostile_spreadsheet", FIXTURES / "bill/BL12_excel_resaved.csv")
    with zipfile.ZipFile(FIXTURES / "bill/BL1.zip") as zip_:
        detail = zip_.read(zip_.infolist()[0])
    name = "20880000000000010156_20261129_业务明细.csv"
    write("bills", "hostile_name_points_outside", archive([(f"../../{name}", detail)]))
    write("bills", "hostile_name_with_backslash", archive([(f"..\\{name}", detail)]))
    write("bills", "hostile_two_details", archive([(name, detail), (f"2{name}", detail)]))
    write("bills", "hostile_17_files", archive([(name, detail)] + [(f"{n}", b"") for n in range(16)]))
    write("bills", "hostile_detail_cut", archive([(name, detail[: len(detail) // 2])]))
    write("bills", "hostile_line_lost", archive([(name, detail.replace(detail.split(b"\r\n")[6] + b"\r\n", b""))]))
    write("bills", "hostile_line_repeated", archive([(name, detail.replace(detail.split(b"\r\n")[6], b"\r\n".join([detail.split(b"\r\n")[6]] * 2)))]))
    write("bills", "real_carriage_returns_only", archive([(name, detail.replace(b"\r\n", b"\r"))]))
    write("bills", "hostile_utf16", archive([(name, detail.decode("gbk").encode("utf-16"))]))
    write("bills", "hostile_4_mib_of_one_letter", archive([(name, b"a" * (4 << 20))]))
    whole = archive([(name, detail)])
    write("bills", "hostile_archive_cut", whole[:-30])
    write("bills", "hostile_checksum", whole.replace(whole[14:18], b"\0\0\0\0"))
    encrypted = bytearray(whole)
    encrypted[6] |= 1
    encrypted[whole.rindex(b"PK\1\2") + 8] |= 1
    write("bills", "hostile_encrypted", bytes(encrypted))
    write("bills", "hostile_nothing_in_it", archive([]))
    write("bills", "hostile_html", b"<html><body>AccessDenied</body></html>")


def der(tag, content):
    length = len(content)
    size = bytes([length]) if length < 128 else b"\x82" + length.to_bytes(2, "big")
    return bytes([tag]) + size + content


def public_key(modulus, exponent):
    number = lambda value: der(2, value.to_bytes(value.bit_length() // 8 + 1, "big"))
    algorithm = bytes.fromhex("300d06092a864886f70d0101010500")
    key = der(0x30, number(modulus) + number(exponent))
    return base64.b64encode(der(0x30, algorithm + der(3, b"\0" + key)))


def certificates():
    copy("certificates", "real_chain", CERTS / "alipay_old.crt")
    copy("certificates", "real_app", CERTS / "app.crt")
    copy("certificates", "real_four_roots", FIXTURES / "certs/alipayRootCert_four_roots.crt")
    copy("certificates", "real_private_key", FIXTURES / "keys/app_private_pkcs1_oneline.txt")
    copy("certificates", "real_public_key", FIXTURES / "keys/platform_public_oneline.txt")
    real = (CERTS / "app.crt").read_bytes()
    body = base64.b64decode(b"".join(real.splitlines()[1:-1]))
    pem = lambda content: b"-----BEGIN CERTIFICATE-----\n" + base64.encodebytes(content) + b"-----END CERTIFICATE-----\n"
    write("certificates", "hostile_no_end_line", real[: real.index(b"-----END")])
    write("certificates", "hostile_half", pem(body[: len(body) // 2]))
    write("certificates", "hostile_length_of_4_gib", pem(b"\x30\x84\xff\xff\xff\xff" + body[4:]))
    write("certificates", "hostile_no_fixed_length", pem(b"\x30\x80" + body[4:] + b"\0\0"))
    write("certificates", "hostile_something_behind", pem(body + b"\0"))
    write("certificates", "hostile_nested_sequences", pem(b"\x30\x80" * 5000))
    write("certificates", "hostile_2000_begin_lines", b"-----BEGIN " * 2000)
    write("certificates", "hostile_locked_private_key", b"-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIF\n-----END ENCRYPTED PRIVATE KEY-----")
    odd = (1 << 2047) | 1
    write("certificates", "hostile_exponent_1", public_key(odd, 1))
    write("certificates", "hostile_exponent_2", public_key(odd, 2))
    write("certificates", "hostile_even_modulus", public_key(odd + 1, 65537))
    write("certificates", "hostile_1024_bits", public_key((1 << 1023) | 1, 65537))
    write("certificates", "hostile_65536_bits", public_key((1 << 65535) | 1, 65537))
    write("certificates", "hostile_modulus_0", public_key(0, 65537))
    write("certificates", "hostile_words", "请把证书粘贴在这里".encode())


for target in ["answers", "notices", "bills", "certificates"]:
    shutil.rmtree(HERE / target, ignore_errors=True)
answers()
notices()
bills()
certificates()
