#pragma once
/* Enables libsecret's calls by object path. libsecret calls them unstable, but has not changed them since 2012.
   Only these calls neither prompt before they are told to, nor share one service in the whole process. */
#ifndef SECRET_API_SUBJECT_TO_CHANGE
#define SECRET_API_SUBJECT_TO_CHANGE 1
#endif
#include <gio/gio.h>
#include <libsecret/secret.h>
