#pragma once
#include <qrencode.h>

/* QRcode_encodeString8bit of libqrencode, which is loaded by the first call. NULL also if it is not installed. */
QRcode *shim_qr_encode(const char *text, int version, QRecLevel level);

/* QRcode_free. */
void shim_qr_free(QRcode *code);
