"""Landing from a broker with SASL_SSL: a certificate to trust, and a password."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.feeds import Feed
from changelake.core.logs import log_file
from changelake.kafka.broker import Broker, free_port
from changelake.kafka.client import kafka_properties
from changelake.landing.job import land
from changelake.spark.java import find_java
from conftest import TopicMaker

pytestmark = pytest.mark.e2e

# needs escaping in a properties file and in JAAS syntax
PASSWORD = "s=cr\\e:t# ü"
STORE_PASSWORD = "changeit"
JAAS = "org.apache.kafka.common.security.plain.PlainLoginModule required"


class SecureBroker(Broker):
    """A broker with a second listener, SASL_SSL on 127.0.0.1, that makes its own certificate."""

    def __init__(self, directory: Path, port: int) -> None:
        super().__init__(directory, port)
        self.secure_port = free_port()
        self.certificate = directory / "certificate.pem"

    def _configure(self) -> Path:
        properties = super()._configure()
        store = self.directory / "broker.p12"
        keytool = [find_java().with_name("keytool"), "-keystore", store]
        keytool += ["-storepass", STORE_PASSWORD, "-alias", "broker"]
        for command in (
            ["-genkeypair", "-keyalg", "RSA", "-storetype", "PKCS12", "-validity", "30",
             "-dname", "CN=broker", "-ext", "san=ip:127.0.0.1"],
            ["-exportcert", "-rfc", "-file", self.certificate],
        ):  # fmt: skip
            subprocess.run([*keytool, *command], check=True, capture_output=True)
        text = properties.read_text()
        text = text.replace(
            ",CONTROLLER://", f",SECURE://127.0.0.1:{self.secure_port},CONTROLLER://"
        )
        text = text.replace(
            f"advertised.listeners=PLAINTEXT://127.0.0.1:{self.port}",
            f"advertised.listeners=PLAINTEXT://127.0.0.1:{self.port},"
            f"SECURE://127.0.0.1:{self.secure_port}",
        )
        text = text.replace("PLAINTEXT:PLAINTEXT,", "PLAINTEXT:PLAINTEXT,SECURE:SASL_SSL,")
        properties.write_text(
            text
            + f"listener.name.secure.ssl.keystore.location={store}\n"
            + "listener.name.secure.ssl.keystore.type=PKCS12\n"
            + f"listener.name.secure.ssl.keystore.password={STORE_PASSWORD}\n"
            + "listener.name.secure.sasl.enabled.mechanisms=PLAIN\n"
            + f"listener.name.secure.plain.sasl.jaas.config={JAAS}"
            + f' user_lake="{escaped(PASSWORD)}";\n',
            encoding="latin-1",
        )
        return properties


def escaped(password: str) -> str:
    """Return a password as it appears within the quotes of a JAAS line in a properties file."""
    text = password.replace("\\", "\\\\").replace("\\", "\\\\")
    return "".join(c if c.isascii() else f"\\u{ord(c):04x}" for c in text)


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureBroker]:
    """The broker, with 1,000 messages in topic `t`."""
    broker = SecureBroker(tmp_path_factory.mktemp("secure"), free_port())
    broker.start()
    topics = TopicMaker(f"127.0.0.1:{broker.port}")
    topics.publish(topics.create("t", 2), 1000)
    yield broker
    broker.stop()


def client_file(directory: Path, secure: SecureBroker, password: str) -> Path:
    file = directory / "client.properties"
    file.write_text(
        "# as Kafka's own tools take it\n"
        "security.protocol = SASL_SSL\n"
        "sasl.mechanism: PLAIN\n"
        f'sasl.jaas.config={JAAS} \\\n    username="lake" password="{escaped(password)}";\n'
        "ssl.truststore.type=PEM\n"
        f"ssl.truststore.location={secure.certificate}\n"
    )
    return file


def test_lands_through_sasl_ssl(secure: SecureBroker, spark: Any, tmp_path: Path) -> None:
    properties = kafka_properties(client_file(tmp_path, secure, PASSWORD), {})
    results = land(
        spark,
        [Feed("f", "canal", ("t",))],
        f"127.0.0.1:{secure.secure_port}",
        root=str(tmp_path),
        properties=properties,
    )
    assert [(one.messages, one.error) for one in results] == [(1000, None)]
    landed = spark.read.format("delta").load(settings.bronze("canal", tmp_path))
    assert landed.select("kafka_offset").distinct().count() == 1000


def test_the_log_has_the_error_and_no_login(
    secure: SecureBroker, spark: Any, tmp_path: Path
) -> None:
    feed, properties = Feed("f", "canal", ("t",)), client_file(tmp_path, secure, PASSWORD)
    options = {"root": str(tmp_path), "properties": kafka_properties(properties, {})}
    servers = f"127.0.0.1:{secure.secure_port}"
    land(spark, [feed], servers, **options)
    offset_log = tmp_path / "checkpoints" / "f" / "offsets" / "0"
    offset_log.write_text(offset_log.read_text().replace("v1", "v9"))
    TopicMaker(f"127.0.0.1:{secure.port}").publish("t", 1)
    with pytest.raises(UserError, match="INVALID_LOG_VERSION.*: see .*spark.log$"):
        land(spark, [feed], servers, **options)
    said = log_file().read_text()
    assert "INVALID_LOG_VERSION" in said and "\n    \tat " in said
    for secret in (PASSWORD, escaped(PASSWORD), options["properties"]["sasl.jaas.config"]):
        assert secret not in said


@pytest.mark.parametrize(
    ("password", "environment", "message"),
    [
        ("wrong", {}, "Authentication failed"),
        (PASSWORD, {"CHANGELAKE_KAFKA_SECURITY_PROTOCOL": "PLAINTEXT"}, "does not answer"),
        (PASSWORD, {"CHANGELAKE_KAFKA_SSL_TRUSTSTORE_LOCATION": "/nowhere.pem"}, "/nowhere.pem"),
    ],
)
def test_says_in_a_line_what_is_wrong_with_the_settings(
    secure: SecureBroker,
    spark: Any,
    tmp_path: Path,
    password: str,
    environment: dict[str, str],
    message: str,
) -> None:
    properties = kafka_properties(client_file(tmp_path, secure, password), environment)
    with pytest.raises(UserError, match=message) as raised:
        land(
            spark,
            [Feed("f", "canal", ("t",))],
            f"127.0.0.1:{secure.secure_port}",
            root=str(tmp_path),
            properties=properties,
        )
    assert "\n" not in str(raised.value)
    assert password[:4] not in str(raised.value)
