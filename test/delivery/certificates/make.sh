#!/bin/sh
# How the certificates beside this file were made: a private authority, and a service that it vouches
# for. They are valid from 2020 to 2120, so that no test fails for the date, and they protect nothing.
set -e
cd "$(dirname "$0")"
work=$(mktemp -d)
touch "$work/index"
cat > "$work/ca.cnf" <<END
[ca]
default_ca = here
[here]
database = $work/index
new_certs_dir = $work
rand_serial = yes
default_md = sha256
policy = any
x509_extensions = authority
[any]
commonName = supplied
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[service]
basicConstraints = CA:FALSE
subjectAltName = DNS:service.test, DNS:localhost, IP:127.0.0.1
END
for name in authority service; do
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name.test" \
    -keyout "$work/$name.key" -out "$work/$name.csr"
  from=$([ $name = authority ] && echo "-selfsign" || echo "-cert authority.pem")
  openssl ca -batch -notext -config "$work/ca.cnf" -extensions $name $from \
    -keyfile "$work/authority.key" -startdate 20200101000000Z -enddate 21200101000000Z \
    -in "$work/$name.csr" -out $name.pem
done
cp "$work/service.key" service.key
openssl x509 -in authority.pem -outform der -out authority.der
rm -r "$work"
