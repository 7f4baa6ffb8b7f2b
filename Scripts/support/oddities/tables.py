"""Every scenario, in the order of a session."""

from table_devices import DEVICES
from table_discovery import DISCOVERY
from table_ends import ENDS
from table_exchange import EXCHANGE
from table_frameworks import FRAMEWORKS, LISTS
from table_gateways import GATEWAYS
from table_id_tokens import ID_TOKENS
from table_keys import KEYS
from table_plain import PLAIN
from table_persons import PERSONS
from table_redirects import REDIRECTS
from table_refresh import REFRESH
from table_sign_outs import REVOCATION, USERINFO
from table_tokens import TOKENS

ALL = [
    *DISCOVERY,
    *LISTS,
    *REDIRECTS,
    *DEVICES,
    *PLAIN,
    *EXCHANGE,
    *TOKENS,
    *ID_TOKENS,
    *PERSONS,
    *KEYS,
    *USERINFO,
    *REFRESH,
    *ENDS,
    *GATEWAYS,
    *FRAMEWORKS,
    *REVOCATION,
]
