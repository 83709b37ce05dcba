import io.debezium.embedded.Connect;
import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import java.io.FileReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.SimpleHeaderConverter;

/**
 * Debezium's engines, writing to Kafka what a Kafka Connect worker with JSON converters would write:
 * `java -cp … Engine.java HOST:PORT one.properties two.properties …`. Each file is the configuration
 * of one connector; `key.converter.schemas.enable` and `value.converter.schemas.enable` (true where
 * nothing is said, as in Connect) and `test.partitions` are read here. It ends when its standard
 * input does.
 */
public class Engine {
    private static final Set<String> TOPICS = ConcurrentHashMap.newKeySet();

    public static void main(String[] arguments) throws Exception {
        Map<String, Object> kafka = Map.of(
            "bootstrap.servers", arguments[0], "max.request.size", 60_000_000, "acks", "all",
            "linger.ms", 20,
            // as a worker has it: the first of several batches may come before a new topic has a leader
            "max.in.flight.requests.per.connection", 1
        );
        List<DebeziumEngine<?>> engines = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i < arguments.length; i++) {
            Properties properties = new Properties();
            try (FileReader file = new FileReader(arguments[i], StandardCharsets.UTF_8)) {
                properties.load(file);
            }
            DebeziumEngine<?> engine = engine(properties, kafka);
            engines.add(engine);
            threads.add(new Thread(engine, properties.getProperty("name")));
        }
        threads.forEach(Thread::start);
        while (System.in.read() >= 0) {
            // until the test closes it
        }
        for (DebeziumEngine<?> engine : engines) {
            engine.close();
        }
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(20));
        }
        System.exit(0);
    }

    private static DebeziumEngine<?> engine(Properties properties, Map<String, Object> kafka) {
        JsonConverter keys = converter(properties, "key");
        JsonConverter values = converter(properties, "value");
        SimpleHeaderConverter headers = new SimpleHeaderConverter();
        int partitions = Integer.parseInt(properties.getProperty("test.partitions", "1"));
        KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(kafka, new ByteArraySerializer(), new ByteArraySerializer());
        AdminClient admin = AdminClient.create(kafka);
        return DebeziumEngine.create(Connect.class)
            .using(properties)
            .using((success, message, error) -> {
                System.err.println("ended " + properties.getProperty("name") + ": " + success + " " + message);
                if (error != null) {
                    error.printStackTrace();
                }
                if (!success) {
                    System.exit(1);
                }
            })
            .notifying((List<ChangeEvent<SourceRecord, SourceRecord>> events,
                    DebeziumEngine.RecordCommitter<ChangeEvent<SourceRecord, SourceRecord>> committer) -> {
                for (ChangeEvent<SourceRecord, SourceRecord> event : events) {
                    SourceRecord record = event.value();
                    String topic = record.topic();
                    create(admin, topic, partitions);
                    byte[] key = record.key() == null
                        ? null : keys.fromConnectData(topic, record.keySchema(), record.key());
                    byte[] value = record.value() == null
                        ? null : values.fromConnectData(topic, record.valueSchema(), record.value());
                    ProducerRecord<byte[], byte[]> message =
                        new ProducerRecord<>(topic, record.kafkaPartition(), key, value);
                    for (Header header : record.headers()) {
                        message.headers().add(
                            header.key(),
                            headers.fromConnectHeader(topic, header.key(), header.schema(), header.value())
                        );
                    }
                    producer.send(message, (metadata, error) -> {
                        if (error != null) {
                            error.printStackTrace();
                            System.exit(1);
                        }
                    });
                }
                producer.flush();
                for (ChangeEvent<SourceRecord, SourceRecord> event : events) {
                    committer.markProcessed(event);
                }
                committer.markBatchFinished();
            })
            .build();
    }

    private static JsonConverter converter(Properties properties, String part) {
        JsonConverter converter = new JsonConverter();
        String schemas = properties.getProperty(part + ".converter.schemas.enable", "true");
        converter.configure(Map.of("schemas.enable", schemas), part.equals("key"));
        return converter;
    }

    private static void create(AdminClient admin, String topic, int partitions) {
        if (TOPICS.add(topic)) {
            try {
                admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
            } catch (Exception error) {
                System.err.println(topic + ": " + error.getMessage());
            }
        }
    }
}
